import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnthropicEmulator, startAnthropicEmulator } from './server.js';

const HEADERS = { 'x-api-key': 'key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
const BODY = {
  model: 'claude-haiku-5-5',
  max_tokens: 100,
  stream: true,
  messages: [{ role: 'user', content: 'When are you open?' }],
};
const tool = { name: 'book', input_schema: { type: 'object' } };
const use = { type: 'tool_use', id: 'toolu_1', name: 'book', input: {} };
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' };
const text = (words: string) => ({ type: 'text', text: words });
const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const ask = user(text('Book it.'));

describe('the Anthropic emulator', () => {
  let emulator: AnthropicEmulator;
  beforeAll(async () => {
    emulator = await startAnthropicEmulator({ apiKeys: ['key'] });
  });
  afterAll(() => emulator.close());

  const post = (body: unknown, headers: Record<string, string> = HEADERS, path = '/v1/messages') =>
    fetch(emulator.url + path, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('streams the events of an answer in their order', async () => {
    const events = (await (await post(BODY)).text()).split('\n\n').flatMap((block) => {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      return name === undefined ? [] : [name];
    });
    expect([...new Set(events)]).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('takes a whole conversation with a tool', async () => {
    const messages = [ask, assistant(text('One moment.'), use), user(result, text('Thanks.'))];
    expect((await post({ ...BODY, messages, tools: [tool] })).status).toBe(200);
  });

  it.each([
    [true, 3],
    [undefined, 1],
  ])('sends a tool’s input as it is written (%s), or when it is whole', async (eager, fragments) => {
    const script = [
      { whenUserSays: /./, say: '', toolCalls: [{ name: 'book', arguments: { day: 'Monday' } }] },
    ];
    const booking = await startAnthropicEmulator({ script });
    const tools = [{ ...tool, eager_input_streaming: eager }];
    const response = await fetch(`${booking.url}/v1/messages`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify({ ...BODY, tools }),
    });
    const parts = [...(await response.text()).matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)];
    expect(parts.map(([, json]) => JSON.parse(json!)).join('')).toBe('{"day":"Monday"}');
    expect(parts).toHaveLength(fragments);
    await booking.close();
  });

  it.each<[string, Record<string, string>, string, number]>([
    ['no key', { ...HEADERS, 'x-api-key': '' }, '/v1/messages', 401],
    ['a wrong key', { ...HEADERS, 'x-api-key': 'wrong' }, '/v1/messages', 401],
    ['no version', { 'x-api-key': 'key', 'content-type': 'application/json' }, '/v1/messages', 400],
    ['another path', HEADERS, '/v1/complete', 404],
  ])('refuses %s', async (_case, headers, path, status) => {
    const response = await post(BODY, headers, path);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: 'error', error: { message: expect.any(String) } });
  });

  it.each([
    ['what is not JSON', 'hello'],
    ['no max_tokens', { ...BODY, max_tokens: undefined }],
    ['a field that there is not', { ...BODY, frequency_penalty: 1 }],
    ['a system message among the others', { ...BODY, messages: [{ role: 'system', content: 'Hi' }, ask] }],
    ['an answer first', { ...BODY, messages: [assistant(text('Hi')), ask] }],
    ['an answer last', { ...BODY, messages: [ask, assistant(text('Hi'))] }],
    ['empty text', { ...BODY, messages: [user(text(' '))] }],
    ['a call without a result', { ...BODY, messages: [ask, assistant(use), user(text('Thanks.'))] }],
    ['a result after text', { ...BODY, messages: [ask, assistant(use), user(text('Thanks.'), result)] }],
    ['a result without a call', { ...BODY, messages: [user(result)] }],
    [
      'the id of another vendor’s call',
      {
        ...BODY,
        messages: [ask, assistant({ ...use, id: 'book:0' }), user({ ...result, tool_use_id: 'book:0' })],
      },
    ],
    ['a tool without a schema', { ...BODY, tools: [{ name: 'book' }] }],
    ['a temperature for a model without', { ...BODY, temperature: 0.5 }],
    ['thinking budgets', { ...BODY, thinking: { type: 'enabled', budget_tokens: 1024 } }],
    [
      'no thinking of a model that must',
      { ...BODY, model: 'claude-opus-5-5', thinking: { type: 'disabled' } },
    ],
    [
      'no thinking at all of Sonnet 5.5',
      { ...BODY, model: 'claude-sonnet-5-5', thinking: { type: 'disabled' } },
    ],
    [
      'no thinking with much effort',
      { ...BODY, thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
    ],
    [
      'a fifth breakpoint of the cache',
      {
        ...BODY,
        messages: [user(...Array(5).fill({ ...text('Hi'), cache_control: { type: 'ephemeral' } }))],
      },
    ],
  ])('refuses %s', async (_case, body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  it('fails on command as the service does', async () => {
    Object.assign(emulator.faults, { failNext: 1, failStatus: 529, retryAfterSeconds: 3 });
    const overloaded = await post(BODY);
    expect(overloaded.status).toBe(529);
    expect(overloaded.headers.get('retry-after')).toBe('3');
    expect(await overloaded.json()).toMatchObject({ error: { type: 'overloaded_error' } });
    emulator.faults.garbageNext = 1;
    expect(await (await post(BODY)).text()).toContain('<html>');
    emulator.faults.cutNext = 1;
    await expect(post(BODY).then((response) => response.text())).rejects.toThrow();
  });
});
