import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { errors, MockAgent } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChatRequest, streamChat } from './chat-stream.js';

const ORIGIN = 'http://model.example';
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const text = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });

describe('a streamed chat completion', () => {
  let dispatcher: MockAgent;
  beforeEach(() => {
    dispatcher = new MockAgent();
    dispatcher.disableNetConnect();
  });
  afterEach(() => dispatcher.close());

  const serve = (path: string) =>
    dispatcher.get(ORIGIN).intercept({ path, method: 'POST', headers: { authorization: 'Bearer key' } });

  async function chunks(
    change: Partial<ChatRequest> = {},
    all: ChatCompletionChunk[] = [],
  ): Promise<ChatCompletionChunk[]> {
    const request: ChatRequest = {
      baseUrl: `${ORIGIN}/v1`,
      apiKey: 'key',
      body: { model: 'm', messages: [], stream: true },
      dispatcher,
      followsMoves: true,
      ...change,
    };
    for await (const together of streamChat(request, new AbortController().signal)) all.push(...together);
    return all;
  }

  it('is its chunks, up to the end that it names', async () => {
    const body = `${event(text('Hel'))}${event(text('lo'))}data: [DONE]\n\n${event(text('more'))}`;
    serve('/v1/chat/completions').reply(200, body);
    expect(await chunks()).toEqual([text('Hel'), text('lo')]);
  });

  it('may have chunks without a list of choices', async () => {
    serve('/v1/chat/completions').reply(200, event({ usage: { prompt_tokens: 1, completion_tokens: 2 } }));
    expect(await chunks()).toMatchObject([{ choices: [] }]);
  });

  it('fails with what the server says, before and in the answer', async () => {
    serve('/v1/chat/completions').reply(
      429,
      { error: { code: 'rate_limit_exceeded', message: 'slow down' } },
      { headers: { 'retry-after': '7' } },
    );
    const refused = await chunks().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(APIError);
    expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    expect((refused as APIError).headers?.get('retry-after')).toBe('7');
    serve('/v1/chat/completions').reply(200, event(text('a')) + event({ error: { code: 'server_error' } }));
    const came: ChatCompletionChunk[] = [];
    await expect(chunks({}, came)).rejects.toMatchObject({ status: undefined, code: 'server_error' });
    expect(came).toEqual([text('a')]);
  });

  it('fails with a page of a proxy that is not JSON', async () => {
    serve('/v1/chat/completions').reply(502, '<html>Bad gateway</html>');
    await expect(chunks()).rejects.toMatchObject({ status: 502 });
  });

  it('fails when what comes is not readable', async () => {
    serve('/v1/chat/completions').reply(200, 'data: {"choices"\n\n');
    await expect(chunks()).rejects.toThrow(SyntaxError);
  });

  it('fails when nobody is there, or does not answer', async () => {
    serve('/v1/chat/completions').replyWithError(new Error('connect ECONNREFUSED'));
    await expect(chunks()).rejects.toThrow(APIConnectionError);
    serve('/v1/chat/completions').replyWithError(new errors.HeadersTimeoutError());
    await expect(chunks()).rejects.toThrow(APIConnectionTimeoutError);
  });

  it('is asked for again where the server has moved it, if it may be, and never elsewhere', async () => {
    const moved = (location: string) =>
      serve('/v1/chat/completions').reply(308, '', { headers: { location } });
    moved('/v2/chat/completions');
    serve('/v2/chat/completions').reply(200, event(text('here')));
    expect(await chunks()).toEqual([text('here')]);
    moved('/v2/chat/completions');
    await expect(chunks({ followsMoves: false })).rejects.toMatchObject({ status: 308 });
    moved('http://elsewhere.example/v1/chat/completions');
    await expect(chunks()).rejects.toMatchObject({ status: 308 });
  });
});
