import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../../loadtest/emulators/openai/server.js';
import type { LlmEvent, LlmRequest } from '../port.js';
import { createOpenAiLanguageModel, type OpenAiLanguageModel } from './openai.js';

describe('the OpenAI adapter', () => {
  let emulator: OpenAiEmulator;
  let model: OpenAiLanguageModel;

  beforeEach(async () => {
    emulator = await startOpenAiEmulator({ apiKeys: ['platform', 'own'] });
    model = createOpenAiLanguageModel({ egress: createAddressPolicy(['127.0.0.0/8']) });
  });

  afterEach(async () => {
    await model.close();
    await emulator.close();
  });

  function request(change: Partial<LlmRequest>, params: Record<string, unknown> = {}): LlmRequest {
    return {
      choice: { provider: 'openai', model: '', params },
      credentials: { api_key: 'platform', base_url: emulator.baseUrl },
      messages: [{ role: 'user', content: 'Where are you?' }],
      tools: [],
      ...change,
    };
  }

  async function answer(asked: LlmRequest): Promise<LlmEvent[]> {
    const events: LlmEvent[] = [];
    for await (const event of model.generate(asked, new AbortController().signal)) events.push(event);
    return events;
  }

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

  it('refuses settings that the API does not have, before any request', async () => {
    await expect(answer(request({}, { temperature: 9 }))).rejects.toMatchObject({
      code: 'llm_bad_request',
      retryable: false,
      message: expect.stringContaining('temperature'),
    });
    expect(emulator.counters.requests).toBe(0);
  });

  it("never sends the platform's key to an address that an agent names", async () => {
    const elsewhere = { credentials: { api_key: 'platform' } };
    await expect(answer(request(elsewhere, { base_url: emulator.baseUrl }))).rejects.toMatchObject({
      code: 'llm_unauthorized',
    });
    const events = await answer(request(elsewhere, { base_url: emulator.baseUrl, api_key: 'own' }));
    expect(events.some((event) => event.type === 'text')).toBe(true);
  });

  it.each(['an address', 'a name'])('does not follow an agent into a private network by %s', async (way) => {
    const host = way === 'a name' ? 'localhost' : '127.0.0.1';
    const guarded = createOpenAiLanguageModel({ egress: createAddressPolicy([]) });
    const asked = request({}, { base_url: `http://${host}:${emulator.port}/v2`, api_key: 'own' });
    const answers = guarded.generate(asked, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(answers.next()).rejects.toMatchObject({ kind: 'llm' });
    expect(emulator.counters.connections).toBe(0);
    await guarded.close();
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

  it('speaks the next turn over the connection of the turn before', async () => {
    const newConnections = async () => {
      const before = emulator.counters.connections;
      await answer(request({}));
      return emulator.counters.connections - before;
    };
    expect(await newConnections()).toBe(1);
    // It is free once the end of the body has been read, a moment after the answer's end.
    await expect.poll(newConnections).toBe(0);
  });

  it('reports a conversation that the API refuses as not worth a retry', async () => {
    const messages = [{ role: 'tool', toolCallId: 'call_1', content: '{}' }] as const;
    await expect(answer(request({ messages }))).rejects.toMatchObject({
      code: 'llm_bad_request',
      retryable: false,
    });
  });

  it('fails as unavailable when nobody listens at the address', async () => {
    await emulator.close();
    await expect(answer(request({}))).rejects.toMatchObject({ code: 'llm_unavailable', retryable: true });
  });
});
