import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NO_ACCOUNTS } from '@voice/shared/catalogue/testing/no-accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chatChoiceOf, createLanguageModels } from './language-models.js';

const schema = z.object({ outcome: z.string() });
const choice = (provider: string, params = {}) => ({ provider, model: 'its live model', params });

interface Asked {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly messages: readonly { readonly role: string }[] };
}

/** Gemini's endpoint for the chat-completions API, as far as one question needs it. */
let server: Server;
const asked: Asked[] = [];
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({ url: request.url, headers: request.headers, body: JSON.parse(body) as Asked['body'] });
    const message = { role: 'assistant', content: '{"outcome":"booked"}' };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'gemini-3.8-flash',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 },
      }),
    );
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  asked.length = 0;
});

const models = (gemini: { apiKey?: string }) =>
  createLanguageModels(
    {
      vendors: {
        ...NO_ACCOUNTS,
        openai: { apiKey: 'openai-key' },
        // As the workers reach it, by WebSocket.
        gemini: { ...gemini, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` },
      },
      egressAllow: [],
    },
    async () => NO_ACCOUNTS,
  );
const ask = (realtime: ReturnType<typeof choice>, gemini = { apiKey: 'gemini-key' } as { apiKey?: string }) =>
  models(gemini).answer(
    {
      choice: chatChoiceOf({ realtime }),
      system: 'You judge calls.',
      user: 'caller: hello',
      schema,
      purpose: 'analysis',
    },
    AbortSignal.timeout(240_000),
  );

describe('the model that answers questions about calls', () => {
  it('is the own one of a cascaded agent', () => {
    const llm = { ...choice('openai'), model: 'gpt-4.1' };
    expect(chatChoiceOf({ stt: choice('local'), llm, tts: choice('local') })).toBe(llm);
  });

  it("is the default text model of a speech-to-speech agent's provider, at the same account", () => {
    expect(chatChoiceOf({ realtime: choice('openai', { voice: 'marin' }) })).toEqual({
      provider: 'openai',
      model: '',
      params: {},
    });
    expect(chatChoiceOf({ realtime: choice('openai', { voice: 'marin', api_key: 'own' }) })).toEqual({
      provider: 'openai',
      model: '',
      params: { api_key: 'own' },
    });
  });

  it('of a Gemini Live agent is asked at the same server, in the API that both speak', async () => {
    expect(await ask(choice('gemini'))).toMatchObject({
      value: { outcome: 'booked' },
      model: 'gemini-3.8-flash',
      inputTokens: 20,
      outputTokens: 5,
    });
    expect(asked).toMatchObject([
      {
        url: '/v1beta/openai/chat/completions',
        headers: { authorization: 'Bearer gemini-key' },
        body: { model: 'gemini-3.8-flash', messages: [{ role: 'system' }, { role: 'user' }] },
      },
    ]);
  });

  it("of a Gemini Live agent with a key of its own is asked by that, and never by OpenAI's", async () => {
    await ask(choice('gemini', { api_key: 'own' }), {});
    expect(asked[0]?.headers.authorization).toBe('Bearer own');
    await expect(ask(choice('gemini'), {})).rejects.toMatchObject({
      code: 'language_model_failed',
      message: 'There is no key for the language model: set GEMINI_API_KEY.',
    });
    expect(asked).toHaveLength(1);
  });
});
