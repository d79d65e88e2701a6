import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAiEmulator, startOpenAiEmulator } from './server.js';

const USER = { role: 'user', content: 'When are you open?' };
const CALL = { id: 'call_1', type: 'function', function: { name: 'book', arguments: '{}' } };
const TOOL = {
  type: 'function',
  function: { name: 'end_call', parameters: { type: 'object', properties: {} } },
};

describe('the OpenAI emulator', () => {
  let emulator: OpenAiEmulator;

  beforeEach(async () => {
    emulator = await startOpenAiEmulator({ apiKeys: ['key'], firstTokenDelayMs: 30, tokenDelayMs: 2 });
  });

  afterEach(() => emulator.close());

  function ask(
    body: unknown,
    headers: Record<string, string> = { authorization: 'Bearer key' },
    signal?: AbortSignal,
  ) {
    return fetch(`${emulator.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal,
    });
  }

  async function refusal(body: unknown, headers?: Record<string, string>) {
    const response = await ask(body, headers);
    const { error } = (await response.json()) as {
      error: { message: string; type: string; code: string | null };
    };
    return { status: response.status, ...error };
  }

  async function streamed(body: unknown) {
    const text = await (await ask(body)).text();
    const events = text
      .split('\n\n')
      .filter((event) => event !== '')
      .map((event) => event.slice('data: '.length));
    expect(events.at(-1)).toBe('[DONE]');
    return events.slice(0, -1).map((event) => JSON.parse(event));
  }

  it('wants a key', async () => {
    expect(await refusal({}, {})).toMatchObject({ status: 401, type: 'invalid_request_error' });
    const wrong = await refusal({}, { authorization: 'Bearer wrong' });
    expect(wrong).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(emulator.counters.refused).toBe(2);
  });

  it.each([
    ['a body that is not JSON', '{'],
    ['no model', { messages: [USER] }],
    ['no messages', { model: 'gpt-4.1-mini', messages: [] }],
    ['an argument that does not exist', { model: 'm', messages: [USER], streem: true }],
    ['an unknown role', { model: 'm', messages: [{ role: 'robot', content: 'hi' }] }],
    [
      'an assistant that says and does nothing',
      { model: 'm', messages: [{ role: 'assistant', content: null }] },
    ],
    ['a user without content', { model: 'm', messages: [{ role: 'user' }] }],
    ['an empty list of tools', { model: 'm', messages: [USER], tools: [] }],
    [
      'a tool name with a space',
      { model: 'm', messages: [USER], tools: [{ type: 'function', function: { name: 'end call' } }] },
    ],
    ['a temperature out of range', { model: 'm', messages: [USER], temperature: 3 }],
    [
      'stream options without a stream',
      { model: 'm', messages: [USER], stream_options: { include_usage: true } },
    ],
    ['a tool choice without tools', { model: 'm', messages: [USER], tool_choice: 'auto' }],
  ])('refuses %s with 400', async (_case, body) => {
    expect(await refusal(body)).toMatchObject({ status: 400, type: 'invalid_request_error' });
  });

  it.each([
    [
      'a tool result without its call',
      [USER, { role: 'tool', tool_call_id: 'call_1', content: '{}' }],
      "role 'tool'",
    ],
    [
      'a tool result of another call',
      [
        USER,
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'call_2', content: '{}' },
      ],
      "role 'tool'",
    ],
    ['a call without its result', [{ role: 'assistant', content: null, tool_calls: [CALL] }, USER], 'call_1'],
    [
      'a call whose result never comes',
      [USER, { role: 'assistant', content: null, tool_calls: [CALL] }],
      'call_1',
    ],
    [
      'a result that comes after somebody else spoke',
      [
        { role: 'assistant', content: null, tool_calls: [CALL] },
        USER,
        { role: 'tool', tool_call_id: 'call_1', content: '{}' },
      ],
      'call_1',
    ],
  ])('refuses %s', async (_case, messages, named) => {
    const refused = await refusal({ model: 'm', messages });
    expect(refused.status).toBe(400);
    expect(refused.message).toContain(named);
  });

  it('refuses other paths and other content types', async () => {
    const headers = { authorization: 'Bearer key' };
    expect((await fetch(`${emulator.baseUrl}/completions`, { method: 'POST', headers })).status).toBe(404);
    expect((await refusal('{}', { ...headers, 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('streams the answer token by token: role, words, finish, usage', async () => {
    const startedAt = performance.now();
    const chunks = await streamed({
      model: 'gpt-4.1-mini',
      messages: [USER],
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
    expect(chunks[0].choices[0].delta).toMatchObject({ role: 'assistant', content: '' });
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
    expect(text).toBe('We are open from nine to five, Monday to Friday.');
    expect(chunks.at(-2).choices[0].finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } });
    expect(chunks[0].usage).toBeNull();
  });

  it('says goodbye and calls end_call, in fragments, when the tool is offered', async () => {
    const messages = [{ role: 'user', content: 'Thank you, goodbye.' }];
    const chunks = await streamed({ model: 'm', messages, tools: [TOOL], stream: true });
    const deltas = chunks.flatMap((chunk) => chunk.choices[0].delta.tool_calls ?? []);
    expect(deltas[0]).toMatchObject({
      index: 0,
      type: 'function',
      function: { name: 'end_call', arguments: '' },
    });
    expect(deltas[0].id).toMatch(/^call_/);
    expect(deltas.map((delta) => delta.function.arguments).join('')).toBe('{}');
    expect(chunks.at(-1).choices[0].finish_reason).toBe('tool_calls');
    const without = await streamed({ model: 'm', messages, stream: true });
    expect(without.at(-1).choices[0].finish_reason).toBe('stop');
  });

  it('answers at once when no stream is asked for', async () => {
    const response = await ask({ model: 'm', messages: [USER] });
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant' }, finish_reason: 'stop' }],
      usage: { total_tokens: expect.any(Number) },
    });
  });

  it('answers JSON of the schema that is asked for, and refuses a format that it does not have', async () => {
    const schema = {
      type: 'object',
      properties: { outcome: { enum: ['booked', 'lost'] }, score: { type: 'number', minimum: 0.5 } },
    };
    const json_schema = { name: 'analysis', schema, strict: false };
    const response = await ask({
      model: 'm',
      messages: [USER],
      response_format: { type: 'json_schema', json_schema },
    });
    const body = (await response.json()) as { choices: { message: { content: string } }[] };
    expect(JSON.parse(body.choices[0]!.message.content)).toEqual({ outcome: 'booked', score: 0.5 });
    for (const format of [{ type: 'xml' }, { type: 'json_schema', json_schema: { name: 'a b', schema } }]) {
      expect(await refusal({ model: 'm', messages: [USER], response_format: format })).toMatchObject({
        status: 400,
      });
    }
  });

  it('stops when the client goes away', async () => {
    emulator.faults.stallNext = 1;
    const client = new AbortController();
    const asked = ask({ model: 'm', messages: [USER], stream: true }, undefined, client.signal);
    await expect.poll(() => emulator.counters.active).toBe(1);
    client.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => emulator.counters).toMatchObject({ active: 0, aborted: 1, completed: 0 });
  });

  it('names the time to wait, sends garbage and falls silent as its faults say', async () => {
    Object.assign(emulator.faults, { failNext: 1, failStatus: 429, retryAfterSeconds: 7 });
    const busy = await ask({ model: 'm', messages: [USER], stream: true });
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '7']);
    emulator.faults.garbageNext = 1;
    const garbage = await (await ask({ model: 'm', messages: [USER], stream: true })).text();
    expect(() => JSON.parse(garbage.trim().split('\n\n').at(-1)!.slice('data: '.length))).toThrow();
    emulator.faults.freezeNext = 1;
    const client = new AbortController();
    const frozen = await ask({ model: 'm', messages: [USER], stream: true }, undefined, client.signal);
    const reader = frozen.body!.getReader();
    const { value } = await reader.read();
    expect(Buffer.from(value!).toString()).toContain('data: {');
    expect(emulator.counters.active).toBe(1);
    client.abort();
    await expect.poll(() => emulator.counters.active).toBe(0);
  });

  it('fails as its faults say: a status, a torn answer, an error within an answer', async () => {
    Object.assign(emulator.faults, { failNext: 1, failStatus: 429 });
    expect(await refusal({ model: 'm', messages: [USER] })).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
    });
    emulator.faults.cutNext = 1;
    const torn = await ask({ model: 'm', messages: [USER], stream: true });
    await expect(torn.text()).rejects.toThrow();
    emulator.faults.streamErrorNext = 1;
    const broken = await (await ask({ model: 'm', messages: [USER], stream: true })).text();
    expect(broken.trim().split('\n\n').at(-1)).toContain('"error"');
    expect(broken).not.toContain('[DONE]');
  });
});
