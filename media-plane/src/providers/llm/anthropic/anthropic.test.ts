import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { buildConnector } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AnthropicEmulator,
  startAnthropicEmulator,
} from '../../../../../loadtest/emulators/anthropic/server.js';
import type { LlmRequest } from '../port.js';
import { answerOf, describeVendorCases, requestTo } from '../testing/vendor-cases.js';
import { type AnthropicLanguageModel, createAnthropicLanguageModel } from './anthropic.js';

const start = () => startAnthropicEmulator({ apiKeys: ['platform', 'own'] });

describeVendorCases({
  provider: 'anthropic',
  start,
  create: (egress) => createAnthropicLanguageModel({ egress }),
});

describe('the Anthropic adapter', () => {
  let emulator: AnthropicEmulator;
  let model: AnthropicLanguageModel;

  beforeEach(async () => {
    emulator = await start();
    model = createAnthropicLanguageModel({ egress: createAddressPolicy(['127.0.0.0/8']) });
  });
  afterEach(async () => {
    await model.close();
    await emulator.close();
  });

  const request = (change: Partial<LlmRequest> = {}, params: Record<string, unknown> = {}) =>
    requestTo({ provider: 'anthropic', baseUrl: emulator.url }, change, params);
  const answer = (asked: LlmRequest) => answerOf(model, asked);

  it('passes on the settings of the agent, a default model and as little thinking as it allows', async () => {
    await answer(request({}, { max_tokens: 200, effort: 'low' }));
    expect(emulator.requests.at(-1)).toMatchObject({
      model: 'claude-haiku-5-5',
      max_tokens: 200,
      thinking: { type: 'disabled' },
      output_config: { effort: 'low' },
      stream: true,
    });
  });

  it.each(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-4-5', 'claude-fable-5-1'])(
    'asks %s in a way that it takes',
    async (name) => {
      const events = await answer(request({ choice: { provider: 'anthropic', model: name, params: {} } }));
      expect(events.some(({ type }) => type === 'text')).toBe(true);
    },
  );

  it('has tools’ input streamed as it is written by the vendor itself: other servers refuse to be asked', async () => {
    const tools = [{ name: 'book', description: 'Books.', parameters: { type: 'object' } }];
    await answer(request({ tools }));
    expect(emulator.requests.at(-1)!.tools![0]).not.toHaveProperty('eager_input_streaming');
    const connect = buildConnector({});
    const vendors = createAnthropicLanguageModel({
      egress: createAddressPolicy([]),
      connect: (to, connected) =>
        connect({ ...to, protocol: 'http:', hostname: '127.0.0.1', port: `${emulator.port}` }, connected),
    });
    await answerOf(vendors, request({ tools, credentials: { api_key: 'platform' } }));
    expect(emulator.requests.at(-1)!.tools![0]).toMatchObject({ name: 'book', eager_input_streaming: true });
    await vendors.close();
  });

  it.each([
    [429, 7, 'llm_rate_limited', true],
    [429, null, 'llm_rate_limited', true],
    [529, null, 'llm_unavailable', true],
    [400, null, 'llm_bad_request', false],
  ] as const)('reports HTTP %s, and what it asks to wait (%s)', async (failStatus, wait, code, retryable) => {
    Object.assign(emulator.faults, { failNext: 1, failStatus, retryAfterSeconds: wait });
    await expect(answer(request())).rejects.toMatchObject({
      code,
      retryable,
      retryAfterSeconds: wait ?? undefined,
    });
  });

  it('reports what is unreadable, and an answer that the model declines to give', async () => {
    emulator.faults.garbageNext = 1;
    await expect(answer(request())).rejects.toMatchObject({
      code: 'llm_protocol_violation',
      retryable: true,
    });
    emulator.faults.refusalNext = 1;
    await expect(answer(request())).rejects.toMatchObject({ code: 'llm_bad_request', retryable: false });
  });
});
