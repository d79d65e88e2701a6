import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../../loadtest/emulators/openai/server.js';
import type { LlmRequest } from '../port.js';
import { answerOf, describeVendorCases, requestTo } from '../testing/vendor-cases.js';
import { createOpenAiLanguageModel, type OpenAiLanguageModel } from './openai.js';

const start = () => startOpenAiEmulator({ apiKeys: ['platform', 'own'] });

describeVendorCases({
  provider: 'openai',
  start,
  create: (egress) => createOpenAiLanguageModel({ egress }),
});

describe('the OpenAI adapter', () => {
  let emulator: OpenAiEmulator;
  let model: OpenAiLanguageModel;

  beforeEach(async () => {
    emulator = await start();
    model = createOpenAiLanguageModel({ egress: createAddressPolicy(['127.0.0.0/8']) });
  });

  afterEach(async () => {
    await model.close();
    await emulator.close();
  });

  const request = (change: Partial<LlmRequest> = {}, params: Record<string, unknown> = {}) =>
    requestTo({ provider: 'openai', baseUrl: emulator.baseUrl }, change, params);
  const answer = (asked: LlmRequest) => answerOf(model, asked);

  it('passes on the settings of the agent and a default model', async () => {
    await answer(request({}, { temperature: 0.3, max_completion_tokens: 200 }));
    expect(emulator.requests.at(-1)).toMatchObject({
      model: 'gpt-4.1-mini',
      temperature: 0.3,
      max_completion_tokens: 200,
      stream: true,
    });
  });

  it('shows that a tool call is under way before it is whole', async () => {
    const parameters = { type: 'object', properties: {} };
    const tools = [{ name: 'end_call', description: 'Hangs up.', parameters }];
    const events = await answer(request({ messages: [{ role: 'user', content: 'Goodbye.' }], tools }));
    const types = events.map(({ type }) => type).filter((type) => type !== 'text');
    expect(types.slice(-3)).toEqual(['tool_call_part', 'tool_call', 'usage']);
    expect(types.slice(0, -2).every((type) => type === 'tool_call_part')).toBe(true);
  });

  it.each([
    ['length', '{'],
    ['content_filter', '{'],
    ['tool_calls', '{}'],
  ])('gives a call whose answer ends with %s before its arguments the arguments %j', async (finish, args) => {
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'end_call', arguments: '' } };
    const server = createServer((_request, response) => {
      response.end(chunk({ tool_calls: [call] }, null) + chunk({}, finish));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const events = await answer(request({ credentials: { base_url: `http://127.0.0.1:${port}` } }));
    expect(events.at(-1)).toMatchObject({ type: 'tool_call', call: { id: 'a', arguments: args } });
    await model.close();
    server.close();
  });

  it('says so when there is neither a key nor an address', async () => {
    await expect(answer(request({ credentials: {} }))).rejects.toMatchObject({
      code: 'llm_unauthorized',
      message: 'no API key for openai is configured',
    });
  });

  it('needs no key for a server of one’s own, and one for the vendor', async () => {
    const server = await startOpenAiEmulator({ keyless: true, firstTokenDelayMs: 1, tokenDelayMs: 1 });
    const events = await answer(request({ credentials: { base_url: server.baseUrl } }));
    expect(events.some(({ type }) => type === 'text')).toBe(true);
    await server.close();
    const vendor = { credentials: { base_url: 'https://api.openai.com/v1' } };
    await expect(answer(request(vendor))).rejects.toMatchObject({ code: 'llm_unauthorized' });
  });

  it('reports a conversation that the API refuses as not worth a retry', async () => {
    const messages = [{ role: 'tool', toolCallId: 'call_1', content: '{}' }] as const;
    await expect(answer(request({ messages }))).rejects.toMatchObject({
      code: 'llm_bad_request',
      retryable: false,
    });
  });
});
