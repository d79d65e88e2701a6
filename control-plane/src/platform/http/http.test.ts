import { gzipSync } from 'node:zlib';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { Route } from './route.js';
import { actsForTenant, isMutating } from './route-traits.js';

let store: TestStore;
let plane: TestControlPlane;
let key: string;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
  ({ key } = await plane.newKey());
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

const routes = (kind: 'routes' | 'intakeRoutes' | 'internalRoutes'): Route[] =>
  plane.modules.flatMap((module) => module[kind] ?? []);

/** The path with something plausible for every parameter. */
const concrete = (route: Route) => route.path.replaceAll(/\{\w+\}/g, () => newId());

const post = (body: string, headers: Record<string, string> = {}) =>
  plane.request('POST', '/api/v1/agents', { key, body, headers });

describe('every declared route', () => {
  it('answers 401 without a credential, with a wrong scheme, and with an unknown key', async () => {
    const guarded = routes('routes').filter(actsForTenant);
    expect(guarded.length).toBeGreaterThanOrEqual(8);
    for (const route of guarded) {
      for (const [authorization, code] of [
        [undefined, 'missing_credentials'],
        ['Basic eDp5', 'invalid_api_key'],
        ['Bearer', 'invalid_api_key'],
        [`Bearer ${key}x`, 'invalid_api_key'],
        [`Bearer sk_test_${'A'.repeat(32)}`, 'invalid_api_key'],
      ] as const) {
        const answer = await plane.request(route.method.toUpperCase(), concrete(route), {
          headers: authorization === undefined ? {} : { authorization },
          body: isMutating(route.method) ? {} : undefined,
        });
        expect([route.path, answer.status, answer.json]).toMatchObject([route.path, 401, { code }]);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull();
        expect(answer.headers.get('x-request-id')).toBe((answer.json as { request_id: string }).request_id);
      }
    }
  });

  it('that is exempt from the credential is one that the specification names, or verifies a signature', () => {
    const exempt = routes('routes').filter((route) => !actsForTenant(route));
    const named = [
      '/api/v1/webhooks/event-types',
      '/api/v1/integrations/{slug}/callback',
      '/api/v1/webhooks/clerk',
    ];
    for (const route of exempt) {
      expect(route.auth).toBe('none');
      const own = /^\/(recordings|dashboard)\//.test(route.path);
      expect(named.includes(route.path) || own, route.path).toBe(true);
    }
  });

  // @rule 9.4
  it('between the planes refuses an API key and an unsigned request', async () => {
    for (const route of routes('internalRoutes').filter((entry) => entry.auth === 'inter_plane')) {
      for (const authorization of [
        undefined,
        `Bearer ${key}`,
        `Bearer v1.${Date.now() + 5000}.${'0'.repeat(64)}`,
        `Bearer v2.${Date.now()}.${'A'.repeat(22)}.${'0'.repeat(64)}.${'0'.repeat(64)}`,
      ]) {
        const answer = await plane.atInternal(route.method.toUpperCase(), concrete(route), {
          headers: authorization === undefined ? {} : { authorization },
          body: isMutating(route.method) ? {} : undefined,
        });
        expect([route.path, answer.status]).toEqual([route.path, 401]);
      }
    }
  });

  // @rule 9.1
  it('of the public API is under /api/v1 or a signed link, and those between the planes are under /internal', () => {
    for (const route of routes('routes')) expect(route.path).toMatch(/^\/(api\/v1|recordings|dashboard)\//);
    for (const route of [...routes('internalRoutes'), ...routes('intakeRoutes')]) {
      expect(route.path).toMatch(/^\/internal\//);
    }
  });
});

describe('a request that cannot be understood', () => {
  it.each([
    ['broken JSON', '{"name": ', {}, 400, 'malformed_json'],
    [
      'nesting without end',
      `{"metadata":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`,
      {},
      400,
      'malformed_json',
    ],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400, 'malformed_json'],
    ['half of a surrogate pair', '{"name":"a\\ud83d","system_prompt":"p"}', {}, 400, 'malformed_json'],
    ['half of a pair in a name', '{"metadata":{"\\udc00":1}}', {}, 400, 'malformed_json'],
    ['another media type', '<a/>', { 'content-type': 'application/xml' }, 415, 'unsupported_media_type'],
    ['no media type', '{}', { 'content-type': '' }, 415, 'unsupported_media_type'],
    [
      'another charset',
      '{}',
      { 'content-type': 'application/json; charset=utf-16' },
      415,
      'unsupported_media_type',
    ],
    ['an unknown encoding', '{}', { 'content-encoding': 'snappy' }, 415, 'unsupported_media_type'],
    ['a body over the limit', `"${'x'.repeat(1024 * 1024)}"`, {}, 413, 'payload_too_large'],
    [
      'a bomb',
      gzipSync(Buffer.alloc(5_000_000, 32)),
      { 'content-encoding': 'gzip' },
      413,
      'payload_too_large',
    ],
    ['a gzip that is none', 'abc', { 'content-encoding': 'gzip' }, 400, 'malformed_request'],
  ])('(%s) is refused with its own status and code', async (_what, body, headers, status, code) => {
    const answer = await fetch(`${plane.url}/api/v1/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body,
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      status,
      { code, request_id: expect.any(String) },
    ]);
  });

  it.each([
    ['a mebibyte of brackets', '['.repeat(1024 * 1024 - 1), 400, 'malformed_json'],
    [
      '90,000 members',
      `{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
      413,
      'payload_too_large',
    ],
  ])('is refused before it is made anything of: %s', async (_, body, status, code) => {
    const response = await fetch(`${plane.url}/api/v1/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });

  it('reports a missing body as a missing field', async () => {
    const answer = await plane.request('POST', '/api/v1/agents', { key });
    expect([answer.status, answer.json]).toMatchObject([
      422,
      { detail: [{ loc: ['body'], type: 'missing' }] },
    ]);
  });

  // @rule 7.6
  it('reports every mistake at once, as an HTTPValidationError', async () => {
    const answer = await plane.request('PATCH', '/api/v1/agents/x', {
      key,
      body: { name: 1, language: '?' },
    });
    expect(answer.status).toBe(422);
    const { detail, code } = answer.json as {
      detail: { loc: string[]; msg: string; type: string }[];
      code: string;
    };
    expect(code).toBe('validation_error');
    expect(detail.map((entry) => entry.loc)).toEqual([
      ['path', 'agent_id'],
      ['body', 'name'],
      ['body', 'language'],
    ]);
    for (const entry of detail)
      expect(entry).toEqual({ loc: entry.loc, msg: expect.any(String), type: expect.any(String) });
  });

  it('may hold any whole text, escaped or not', async () => {
    const name = 'Ünï \u{1f642} \\ud83d';
    const escaped = JSON.stringify(name).replaceAll('\u{1f642}', '\\uD83D\\uDE42');
    const answer = await post(`{"name":${escaped},"system_prompt":"p"}`);
    expect([answer.status, answer.json]).toMatchObject([201, { name }]);
  });

  it('is no way into the prototype', async () => {
    const answer = await post('{"name":"n","system_prompt":"p","metadata":{"__proto__":{"polluted":1}}}');
    expect(answer.status).toBe(201);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    ['GET', '/api/v1/nothing', 404, 'not_found'],
    ['GET', '/nothing', 404, 'not_found'],
    ['PUT', '/api/v1/agents', 405, 'method_not_allowed'],
    ['GET', '/api/v1/agents/%E0%A4%A', 400, 'malformed_request'],
  ])('%s %s answers %i %s in the shape of every error', async (method, path, status, code) => {
    const answer = await plane.request(method, path, { key });
    expect([answer.status, answer.json]).toMatchObject([status, { code, detail: expect.any(String) }]);
    expect(answer.headers.get('x-ratelimit-remaining')).not.toBeNull();
    expect(answer.headers.get('x-request-id')).not.toBeNull();
    if (status === 405) expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('answers 405 wherever an address lacks the method, also where a parameter would take its last part', async () => {
    const literal = routes('routes').filter(({ path }) => !path.includes('{'));
    for (const path of new Set(literal.map((route) => route.path))) {
      const declared: string[] = literal.filter((route) => route.path === path).map(({ method }) => method);
      for (const method of ['get', 'post', 'put', 'patch', 'delete'].filter((m) => !declared.includes(m))) {
        const answer = await plane.request(method.toUpperCase(), path, { key });
        expect([method, path, answer.status]).toEqual([method, path, 405]);
        expect(answer.json).toMatchObject({ code: 'method_not_allowed' });
      }
    }
  });
});

describe('the request id', () => {
  it('is the sane one of the request, else a new one', async () => {
    const send = async (id: string) =>
      (await plane.request('GET', '/api/v1/agents', { key, headers: { 'x-request-id': id } })).headers.get(
        'x-request-id',
      );
    expect(await send('trace-42:a.b_c')).toBe('trace-42:a.b_c');
    for (const odd of ['with space', 'x'.repeat(129), '{"a":1}'])
      expect(await send(odd)).toMatch(/^[0-9a-f-]{36}$/);
  });
});

// @rule 5.3
it('the mode follows the prefix of the key: a forged prefix finds no key', async () => {
  const forged = key.replace('sk_test_', 'sk_live_');
  expect((await plane.request('GET', '/api/v1/agents', { key: forged })).status).toBe(401);
});

it.each(['/healthz', '/readyz', '/docs', '/v1/openapi.json', '/dashboard'])(
  'every answer has the rate headers, that of %s too',
  async (path) => {
    const { headers } = await plane.request('GET', path);
    const named = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    expect(named.filter((name) => !/^\d+$/.test(headers.get(name) ?? ''))).toEqual([]);
  },
);

describe('health', () => {
  it('says that the process lives, that it is ready, and what it has done', async () => {
    expect((await plane.request('GET', '/healthz')).json).toEqual({ status: 'ok' });
    expect((await plane.request('GET', '/readyz')).json).toMatchObject({
      status: 'ready',
      workers: { reporting: 0, with_room: 0, free_places: 0 },
    });
    const beat = { capacity: 10, live: 3, reserved: 1, draining: false, calls: [], media_url: 'ws://m' };
    for (const [worker_id, more] of [
      ['free', {}],
      ['full', { live: 9 }],
      ['draining', { draining: true }],
      ['full disk', { storage_full: true }],
    ] as const) {
      const body = { worker_id, control_url: 'http://127.0.0.1:1', ...beat, ...more };
      expect((await plane.internal('POST', '/internal/workers/heartbeat', body)).status).toBe(200);
    }
    expect((await plane.request('GET', '/readyz')).json).toMatchObject({
      workers: { reporting: 3, with_room: 1, free_places: 6 },
    });
    await plane.request('GET', '/api/v1/agents', { key });
    const { text } = await plane.atInternal('GET', '/metrics');
    expect(text).toMatch(/http_requests_total\{method="GET",route="\/api\/v1\/agents",status="200"\} \d+/);
  });
});
