import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NO_ACCOUNTS } from '@voice/shared/catalogue/testing/no-accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ScriptRule } from '../../../../loadtest/emulators/openai/script.js';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../loadtest/emulators/openai/server.js';
import type { ConversationEvent } from '../conversation.js';
import { createLanguageModels } from '../language-models.js';

const KEY = 'platform-key';
const script: ScriptRule[] = [
  { forSchema: 'fits', say: '{"outcome":"booked","score":0.5}' },
  { forSchema: 'fenced', say: '```json\n{"outcome":"booked","score":0.5}\n```' },
  { forSchema: 'hostile', say: `\`\`\`\n${'\n'.repeat(200_000)}x` },
  { forSchema: 'endless', say: `"${'x'.repeat(5 * 1024 * 1024)}"` },
  { forSchema: 'deep', say: `${'['.repeat(50_000)}${']'.repeat(50_000)}` },
  { forSchema: 'never', say: '{"outcome":"something else"}' },
  { whenUserSays: /book/, say: 'One moment.', toolCalls: [{ name: 'book', arguments: { day: 'Monday' } }] },
  { whenUserSays: /./, say: 'Hello there.' },
];
let emulator: OpenAiEmulator;
const own = { provider: 'openai', model: 'gpt-4.1', params: {} };
const schema = z.object({ outcome: z.enum(['booked', 'lost']), score: z.number().min(0).max(1) });

beforeAll(async () => {
  emulator = await startOpenAiEmulator({ apiKeys: [KEY], script });
});
afterEach(() => {
  Object.assign(emulator.faults, { failNext: 0, cutNext: 0 });
});
afterAll(() => emulator.close());

const modelsAt = (url: string, egressAllow: string[] = []) =>
  createLanguageModels(
    { vendors: { ...NO_ACCOUNTS, openai: { apiKey: KEY, url } }, egressAllow },
    async () => NO_ACCOUNTS,
  );
const models = (egressAllow: string[] = []) => modelsAt(emulator.baseUrl, egressAllow);
const ask = (purpose: string, choice = own, using = models()) =>
  using.answer(
    { choice, system: 'You judge calls.', user: 'caller: hello', schema, purpose },
    AbortSignal.timeout(240_000),
  );

describe('a structured question', () => {
  it('is asked with the JSON Schema of the answer, and the answer is checked against it', async () => {
    const answer = await ask('fits');
    expect(answer.value).toEqual({ outcome: 'booked', score: 0.5 });
    expect(answer.inputTokens).toBeGreaterThan(0);
    expect(emulator.requests.at(-1)?.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'fits', schema: { properties: { outcome: { enum: ['booked', 'lost'] } } } },
    });
  });

  it('needs no key for a server of one’s own, and one for the vendor', async () => {
    const server = await startOpenAiEmulator({ keyless: true, script });
    const keyless = (url: string) =>
      createLanguageModels(
        {
          vendors: { ...NO_ACCOUNTS, openai: { url } },
          egressAllow: [],
        },
        async () => NO_ACCOUNTS,
      );
    expect((await ask('fits', own, keyless(server.baseUrl))).value.outcome).toBe('booked');
    await server.close();
    await expect(ask('fits', own, keyless('https://api.openai.com/v1'))).rejects.toMatchObject({
      code: 'language_model_failed',
      message: expect.stringContaining('OPENAI_API_KEY'),
    });
  });

  it('takes an answer in a code fence', async () => {
    expect((await ask('fenced')).value.outcome).toBe('booked');
  });

  it.each(['hostile', 'deep'])(
    'reads an answer that was made to cost time in time linear in its length: %s',
    async (purpose) => {
      await expect(ask(purpose)).rejects.toMatchObject({ code: 'language_model_invalid_answer' });
    },
  );

  it('is asked once more when the answer does not fit, with what was wrong, and then fails', async () => {
    const before = emulator.requests.length;
    await expect(ask('never')).rejects.toMatchObject({
      code: 'language_model_invalid_answer',
      retryable: false,
    });
    const asked = emulator.requests.slice(before);
    expect(asked).toHaveLength(2);
    expect(asked[1]!.messages.at(-1)?.content).toMatch(/not valid: outcome/);
  });

  it('fails, and says whether it may be asked again', async () => {
    Object.assign(emulator.faults, { failNext: 1, failStatus: 503 });
    await expect(ask('fits')).rejects.toMatchObject({ code: 'language_model_failed', retryable: true });
    Object.assign(emulator.faults, { failNext: 1, failStatus: 401 });
    await expect(ask('fits')).rejects.toMatchObject({ code: 'language_model_failed', retryable: false });
    await expect(ask('fits', { ...own, provider: 'nobody' })).rejects.toMatchObject({
      code: 'language_model_failed',
      retryable: false,
    });
  });
});

describe('an address that the agent names', () => {
  const named = () => ({ ...own, params: { base_url: `${emulator.url}/v1/` } });

  it('is refused where the egress guard refuses it', async () => {
    await expect(ask('fits', named())).rejects.toMatchObject({ code: 'language_model_failed' });
  });

  it("is reached where it may be, with the agent's key and never with the platform's", async () => {
    const loopback = models(['127.0.0.0/8']);
    await expect(ask('fits', named(), loopback)).rejects.toMatchObject({ code: 'language_model_failed' });
    const withKey = { ...own, params: { base_url: `${emulator.url}/v1/`, api_key: KEY } };
    expect((await ask('fits', withKey, loopback)).value.outcome).toBe('booked');
  });
});

describe("a tenant's own server", () => {
  it('that answers without end is broken off', async () => {
    const choice = { ...own, params: { base_url: `${emulator.url}/v1/`, api_key: KEY } };
    await expect(ask('endless', choice, models(['127.0.0.0/8']))).rejects.toMatchObject({
      code: 'language_model_failed',
      message: 'The answer is over 4194304 bytes.',
      retryable: false,
    });
  });
});

describe('a conversation', () => {
  const book = { name: 'book', description: 'Books.', parameters: { type: 'object', properties: {} } };
  async function converse(said: string, tools = [book], using = models()): Promise<ConversationEvent[]> {
    const events: ConversationEvent[] = [];
    const messages = [
      { role: 'system', content: 'You are Ada.' },
      { role: 'user', content: said },
    ] as const;
    for await (const event of using.converse(
      { choice: own, messages, tools },
      AbortSignal.timeout(240_000),
    )) {
      events.push(event);
    }
    return events;
  }

  it('streams its words, then whole tool calls, then what was used', async () => {
    const events = await converse('please book it');
    const text = events.flatMap((event) => (event.type === 'text' ? [event.delta] : []));
    expect(text.length).toBeGreaterThan(1);
    expect(text.join('')).toBe('One moment.');
    expect(events.at(-2)).toMatchObject({
      type: 'tool_call',
      call: { name: 'book', arguments: '{"day":"Monday"}' },
    });
    expect(events.at(-1)).toMatchObject({ type: 'usage' });
  });

  /** Has a conversation with a server that streams these choices. */
  async function converseWith(choices: readonly object[]): Promise<ConversationEvent[]> {
    const chunk = (choice: object) => {
      const choices = [{ index: 0, delta: {}, finish_reason: null, ...choice }];
      return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
    };
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${choices.map(chunk).join('')}data: [DONE]\n\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      return await converse('please book it', [book], modelsAt(`http://127.0.0.1:${port}/v1`));
    } finally {
      server.close();
    }
  }

  const piece = (id: string, name: string, args: string) => {
    const call = { index: 0, id, type: 'function', function: { name, arguments: args } };
    return { delta: { role: 'assistant', tool_calls: [call] } };
  };

  it.each([
    ['length', '{'],
    ['tool_calls', '{}'],
  ])('that ends by %s within a call’s arguments gives it %j', async (finish_reason, given) => {
    expect(await converseWith([piece('call_1', 'book', ''), { finish_reason }])).toContainEqual({
      type: 'tool_call',
      call: { id: 'call_1', name: 'book', arguments: given },
    });
  });

  it('keeps calls apart that a compatible server gives the same index', async () => {
    const rest = { delta: { tool_calls: [{ index: 0, function: { arguments: ':2}' } }] } };
    const events = await converseWith([
      piece('a', 'book', '{"a":1}'),
      piece('b', 'cancel', '{"b"'),
      rest,
      { finish_reason: 'tool_calls' },
    ]);
    expect(events).toEqual([
      { type: 'tool_call', call: { id: 'a', name: 'book', arguments: '{"a":1}' } },
      { type: 'tool_call', call: { id: 'b', name: 'cancel', arguments: '{"b":2}' } },
    ]);
  });

  it('that ends without a reason has broken off: its calls are not run', async () => {
    await expect(converseWith([piece('a', 'book', '{}')])).rejects.toMatchObject({
      code: 'language_model_failed',
      retryable: true,
    });
  });

  it('that breaks off has failed', async () => {
    emulator.faults.cutNext = 1;
    await expect(converse('hello')).rejects.toMatchObject({ code: 'language_model_failed', retryable: true });
  });
});
