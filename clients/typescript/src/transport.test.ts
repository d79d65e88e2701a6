import { describe, expect, it } from 'vitest';
import { Voice } from './client.js';
import {
  ApiError,
  ConflictError,
  ConnectionFailedError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  RequestTimeoutError,
  ServerError,
  VoiceError,
} from './errors.js';

type Answer = Response | Error | 'silence';

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const refusal = (status: number, code: string, headers?: Record<string, string>) =>
  json(status, { detail: `It is ${code}.`, code, request_id: 'r-1' }, headers);

/** A service that answers by a script, and a client of it that never really waits. */
function scene(...answers: Answer[]) {
  const requests: { url: string; init: RequestInit; headers: Headers }[] = [];
  const pauses: number[] = [];
  const service = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    requests.push({ url: String(url), init, headers: new Headers(init.headers) });
    const answer = answers.shift() ?? new Error('no more answers');
    if (answer === 'silence') {
      return new Promise((_, reject) => {
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    }
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const voice = new Voice(
    { apiKey: 'sk_test_1', baseUrl: 'https://voice.example/', fetch: service, timeoutMs: 20 },
    {
      wait: async (ms) => {
        pauses.push(ms);
      },
      random: () => 1,
      now: () => 0,
    },
  );
  return { voice, requests, pauses };
}

describe('a request', () => {
  it('carries the key, the query that is set, and JSON', async () => {
    const { voice, requests } = scene(json(200, { agents: [] }), json(201, { id: 'a-1' }));
    await voice.agents.list({ limit: 5, active_only: undefined });
    await voice.agents.create({ name: 'Ada' } as never);
    expect(requests.map(({ url, init }) => [init.method, url, init.body])).toEqual([
      ['GET', 'https://voice.example/api/v1/agents?limit=5', undefined],
      ['POST', 'https://voice.example/api/v1/agents', '{"name":"Ada"}'],
    ]);
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer sk_test_1');
    expect(requests[1]?.headers.get('content-type')).toBe('application/json');
  });

  it('cannot leave its path by an id', async () => {
    const { voice, requests } = scene(json(200, {}));
    await voice.calls.get('../keys?x=1');
    expect(requests[0]?.url).toBe('https://voice.example/api/v1/calls/..%2Fkeys%3Fx%3D1');
    for (const none of ['', '.', '..']) expect(() => voice.calls.get(none)).toThrow(TypeError);
    expect(requests).toHaveLength(1);
  });

  it('goes to the address of the service, also where it is given with the path of the API', async () => {
    for (const path of ['', '/', '/api/v1', '/api/v1/']) {
      const urls: string[] = [];
      const service = async (url: string | URL | Request) => {
        urls.push(String(url));
        return json(200, {});
      };
      const options = { apiKey: 'k', baseUrl: `https://voice.example/eu${path}`, fetch: service };
      await new Voice(options).agents.get('a-1');
      expect(urls).toEqual(['https://voice.example/eu/api/v1/agents/a-1']);
    }
  });

  it.each(['voice.example', 'localhost:8080', ''])('is not sent to what is no address: %j', (baseUrl) => {
    expect(() => new Voice({ apiKey: 'k', baseUrl })).toThrow('is no address of the service');
  });

  it('needs a key', () => {
    expect(() => new Voice({ apiKey: '' })).toThrow(VoiceError);
  });

  it('returns nothing where the answer is empty', async () => {
    const { voice } = scene(new Response(null, { status: 204 }));
    expect(await voice.agents.delete('a-1')).toBeUndefined();
  });
});

describe('a request that fails for a while', () => {
  it('is sent again where the answer came as no JSON', async () => {
    const { voice, requests } = scene(
      new Response('{"id": "a-'),
      ...Array(2)
        .fill(null)
        .map(() => new Response('<html>')),
    );
    await expect(voice.agents.get('a-1')).rejects.toBeInstanceOf(ConnectionFailedError);
    expect(requests).toHaveLength(3);
  });

  it('is sent again with the same idempotency key, and longer pauses each time', async () => {
    const { voice, requests, pauses } = scene(
      new TypeError('fetch failed'),
      refusal(503, 'draining'),
      json(202, { id: 'c-1' }),
    );
    expect(await voice.calls.create({} as never)).toEqual({ id: 'c-1' });
    const keys = new Set(requests.map(({ headers }) => headers.get('idempotency-key')));
    expect([requests.length, keys.size, keys.has(null)]).toEqual([3, 1, false]);
    expect(pauses).toEqual([500, 1000]);
  });

  it('waits as long as the service asks for', async () => {
    const { voice, pauses } = scene(refusal(429, 'rate_limited', { 'retry-after': '7' }), json(200, {}));
    await voice.calls.get('c-1');
    expect(pauses).toEqual([7000]);
  });

  it('is given up at once where the service asks for more than a minute', async () => {
    const { voice, requests } = scene(refusal(429, 'rate_limited', { 'retry-after': '3600' }));
    await expect(voice.calls.get('c-1')).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
    expect(requests).toHaveLength(1);
  });

  it('is given up after the tries that are allowed', async () => {
    const { voice, requests } = scene(refusal(500, 'a'), refusal(500, 'b'), refusal(500, 'c'));
    await expect(voice.calls.get('c-1')).rejects.toBeInstanceOf(ServerError);
    expect(requests).toHaveLength(3);
  });

  it('is sent again while the first try is still under way', async () => {
    const { voice } = scene(refusal(409, 'idempotency_in_flight'), json(202, { id: 'c-1' }));
    expect(await voice.calls.create({} as never)).toEqual({ id: 'c-1' });
  });

  it('ends in time', async () => {
    const { voice, requests } = scene('silence', 'silence', 'silence');
    await expect(voice.calls.get('c-1')).rejects.toBeInstanceOf(RequestTimeoutError);
    expect(requests).toHaveLength(3);
  });

  it('is not sent again once it is aborted', async () => {
    const { voice, requests } = scene('silence');
    const stop = new AbortController();
    const asked = voice.calls.get('c-1', { signal: stop.signal, timeoutMs: 60_000 });
    stop.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    expect(requests).toHaveLength(1);
  });
});

describe('an answer that is an error', () => {
  it.each([
    [404, NotFoundError],
    [409, ConflictError],
    [422, InvalidRequestError],
    [429, RateLimitError],
    [503, ServerError],
    [418, ApiError],
  ])('of status %i has a class of its own, its code and the request’s id', async (status, kind) => {
    const { voice } = scene(refusal(status, 'some_code'));
    const error = await voice.calls.get('c-1', { maxRetries: 0 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status, code: 'some_code', requestId: 'r-1', message: 'It is some_code.' });
  });

  it('names each field that does not fit', async () => {
    const { voice } = scene(
      json(422, {
        detail: [{ loc: ['body', 'tools', 0, 'url'], msg: 'is no URL', type: 'invalid' }],
        code: 'validation_error',
        request_id: 'r-2',
      }),
    );
    await expect(voice.agents.create({} as never)).rejects.toMatchObject({
      fields: [{ path: 'tools.0.url', message: 'is no URL' }],
      message: 'tools.0.url: is no URL',
    });
  });

  it('of a proxy is an error all the same', async () => {
    const { voice } = scene(new Response('<html>', { status: 502, headers: { 'x-request-id': 'r-3' } }));
    await expect(voice.calls.get('c-1', { maxRetries: 0 })).rejects.toMatchObject({
      code: 'unknown',
      requestId: 'r-3',
      message: 'The service answered 502.',
    });
  });

  it('that cannot be reached says where it was looked for', async () => {
    const { voice } = scene(new TypeError('fetch failed'));
    const error = await voice.calls.get('c-1', { maxRetries: 0 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionFailedError);
    expect((error as Error).message).toContain('https://voice.example cannot be reached');
  });
});

describe('a list', () => {
  const page = (ids: string[], cursor: string | null) =>
    json(200, { calls: ids.map((id) => ({ id })), has_more: cursor !== null, next_cursor: cursor });

  it('is its first page when it is awaited', async () => {
    const { voice } = scene(page(['1', '2'], 'next'));
    expect(await voice.calls.list()).toMatchObject({ has_more: true, next_cursor: 'next' });
  });

  it('fetches pages as they are needed', async () => {
    const { voice, requests } = scene(page(['1', '2'], 'n2'), page(['3'], null));
    const ids: string[] = [];
    for await (const call of voice.calls.list({ status: 'COMPLETED' })) ids.push(call.id);
    expect(ids).toEqual(['1', '2', '3']);
    expect(requests.map(({ url }) => new URL(url).search)).toEqual([
      '?status=COMPLETED',
      '?status=COMPLETED&cursor=n2',
    ]);
  });

  it('fetches no page that nobody reads', async () => {
    const { voice, requests } = scene(page(['1', '2'], 'n2'));
    expect(await voice.calls.list().all(2)).toHaveLength(2);
    expect(requests).toHaveLength(1);
  });

  it('goes by offset where there is no cursor', async () => {
    const { voice, requests } = scene(
      json(200, { contacts: [{ id: '1' }, { id: '2' }], has_more: true }),
      json(200, { contacts: [{ id: '3' }], has_more: false }),
    );
    expect((await voice.campaigns.contacts('k-1').all()).map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(requests[1]?.url).toContain('?offset=2');
  });
});
