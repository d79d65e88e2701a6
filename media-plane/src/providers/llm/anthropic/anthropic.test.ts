import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AnthropicEmulator,
  startAnthropicEmulator,
} from '../../../../../loadtest/emulators/anthropic/server.js';
import type { LlmEvent, LlmRequest } from '../port.js';
import { type AnthropicLanguageModel, createAnthropicLanguageModel } from './anthropic.js';

describe('the Anthropic adapter', () => {
  let emulator: AnthropicEmulator;
  let model: AnthropicLanguageModel;

  beforeEach(async () => {
    emulator = await startAnthropicEmulator({ apiKeys: ['platform', 'own'] });
    model = createAnthropicLanguageModel({ egress: createAddressPolicy(['127.0.0.0/8']) });
  });
  afterEach(async () => {
    await model.close();
    await emulator.close();
  });

  function request(change: Partial<LlmRequest> = {}, params: Record<string, unknown> = {}): LlmRequest {
    return {
      choice: { provider: 'anthropic', model: '', params },
      credentials: { api_key: 'platform', base_url: emulator.url },
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
    await expect(answer(request(elsewhere, { base_url: emulator.url }))).rejects.toMatchObject({
      code: 'llm_unauthorized',
    });
    const events = await answer(request(elsewhere, { base_url: emulator.url, api_key: 'own' }));
    expect(events.some((event) => event.type === 'text')).toBe(true);
  });

  it.each(['an address', 'a name'])('does not follow an agent into a private network by %s', async (way) => {
    const host = way === 'a name' ? 'localhost' : '127.0.0.1';
    const guarded = createAnthropicLanguageModel({ egress: createAddressPolicy([]) });
    const asked = request({}, { base_url: `http://${host}:${emulator.port}/v2`, api_key: 'own' });
    const answers = guarded.generate(asked, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(answers.next()).rejects.toMatchObject({ kind: 'llm' });
    expect(emulator.counters.connections).toBe(0);
    await guarded.close();
  });

  it('speaks the next turn over the connection of the turn before', async () => {
    const newConnections = async () => {
      const before = emulator.counters.connections;
      await answer(request());
      return emulator.counters.connections - before;
    };
    expect(await newConnections()).toBe(1);
    // It is free once the end of the body has been read, a moment after the answer's end.
    await expect.poll(newConnections).toBe(0);
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

  it('fails as unavailable when nobody listens at the address', async () => {
    await emulator.close();
    await expect(answer(request())).rejects.toMatchObject({ code: 'llm_unavailable', retryable: true });
  });
});
