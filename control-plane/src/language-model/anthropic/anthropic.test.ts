import { NO_ACCOUNTS } from '@voice/shared/catalogue/testing/no-accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AnthropicEmulator,
  startAnthropicEmulator,
} from '../../../../loadtest/emulators/anthropic/server.js';
import type { ConversationEvent } from '../conversation.js';
import { createLanguageModels } from '../language-models.js';

const KEY = 'platform-key';
const schema = z.object({ outcome: z.enum(['booked', 'lost']) });
let emulator: AnthropicEmulator;

beforeAll(async () => {
  emulator = await startAnthropicEmulator({
    apiKeys: [KEY, 'own-key'],
    script: [
      { whenUserSays: /not valid/, say: '{"outcome":"booked"}' },
      { whenUserSays: /fenced/, say: '```json\n{"outcome":"booked"}\n```' },
      { whenUserSays: /stubborn/, say: 'It was booked.' },
      {
        whenUserSays: /book/,
        say: 'One moment.',
        toolCalls: [{ name: 'book', arguments: { day: 'Monday' } }],
      },
      { whenUserSays: /./, say: 'Hello there.' },
    ],
  });
});
afterEach(() => {
  Object.assign(emulator.faults, { failNext: 0, cutNext: 0, streamErrorNext: 0 });
});
afterAll(() => emulator.close());

const models = (egressAllow: string[] = []) =>
  createLanguageModels(
    {
      vendors: { ...NO_ACCOUNTS, anthropic: { apiKey: KEY, url: emulator.url } },
      egressAllow,
    },
    async () => NO_ACCOUNTS,
  );
const choice = (params = {}) => ({ provider: 'anthropic', model: '', params });
const ask = (user: string, params = {}, using = models()) =>
  using.answer(
    { choice: choice(params), system: 'You judge calls.', user, schema, purpose: 'analysis' },
    AbortSignal.timeout(240_000),
  );

async function converse(content: string): Promise<ConversationEvent[]> {
  const tools = [{ name: 'book', description: 'Books.', parameters: { type: 'object' } }];
  const asked = { choice: choice(), messages: [{ role: 'user' as const, content }], tools };
  const events: ConversationEvent[] = [];
  for await (const event of models().converse(asked, AbortSignal.timeout(240_000))) events.push(event);
  return events;
}

describe('a structured question to Anthropic', () => {
  it('has the JSON Schema in the prompt, and its answer is checked against it', async () => {
    const answer = await ask('a fenced answer', { temperature: 0.5 });
    expect(answer).toMatchObject({ value: { outcome: 'booked' }, model: 'claude-haiku-5-5' });
    expect(answer.inputTokens).toBeGreaterThan(0);
    expect(answer.outputTokens).toBeGreaterThan(0);
    expect(JSON.stringify(emulator.requests.at(-1)?.system)).toContain('booked');
  });

  it('is asked once more with what was wrong', async () => {
    expect((await ask('a stubborn answer')).value).toEqual({ outcome: 'booked' });
    expect(emulator.requests.at(-1)?.messages).toHaveLength(3);
  });

  it('fails retryably while the service is overloaded, and for good with a wrong key', async () => {
    Object.assign(emulator.faults, { failNext: 1, failStatus: 529 });
    await expect(ask('hello')).rejects.toMatchObject({ code: 'language_model_failed', retryable: true });
    await expect(ask('hello', { api_key: 'wrong' })).rejects.toMatchObject({
      code: 'language_model_failed',
      retryable: false,
    });
  });

  it('goes to a server of the agent’s own through the egress guard, without the platform’s key', async () => {
    // The same server by another name: an address of the agent's own.
    const base_url = `${emulator.url}/`;
    await expect(ask('a fenced answer', { base_url })).rejects.toMatchObject({
      message: 'There is no key for the language model: set ANTHROPIC_API_KEY.',
    });
    await expect(ask('a fenced answer', { base_url, api_key: 'own-key' })).rejects.toMatchObject({
      code: 'language_model_failed',
    });
    const allowed = models(['127.0.0.1/32']);
    expect((await ask('a fenced answer', { base_url, api_key: 'own-key' }, allowed)).value.outcome).toBe(
      'booked',
    );
  });
});

describe('a conversation with Anthropic', () => {
  it('streams text, whole calls and usage', async () => {
    const events = await converse('Please book it.');
    expect(events.map((event) => (event.type === 'text' ? event.delta : '')).join('')).toBe('One moment.');
    expect(events).toContainEqual({
      type: 'tool_call',
      call: { id: expect.stringMatching(/^toolu_/), name: 'book', arguments: '{"day":"Monday"}' },
    });
    expect(events.at(-1)).toMatchObject({ type: 'usage' });
  });

  it.each(['cutNext', 'streamErrorNext'] as const)(
    'fails retryably when it breaks off (%s)',
    async (fault) => {
      emulator.faults[fault] = 1;
      await expect(converse('Hello.')).rejects.toMatchObject({
        code: 'language_model_failed',
        retryable: true,
      });
    },
  );
});
