/** @replicas Limits and idempotency of every endpoint. */

import { connect } from 'node:net';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isIdempotent, isMutating } from '../platform/http/route-traits.js';
import {
  DEFAULT_RATE_LIMITS,
  startTestControlPlane,
  type TestControlPlane,
  testConfig,
} from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { WebhookReceiver } from '../testing/webhook-receiver.js';
import { acceptedBody } from './body-arbitrary.js';
import { concretePath, type Operation, operationsOf } from './operations.js';
import { POPULATED_ENV, type PopulatedTenant, populate } from './populated-tenant.js';

let store: TestStore;
let connection: Connection;
let receiver: WebhookReceiver;
let plane: TestControlPlane;
let replica: TestControlPlane;
let tenant: PopulatedTenant;
let all: readonly Operation[];

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  receiver = await WebhookReceiver.start();
  plane = await startTestControlPlane(store.uri, { env: POPULATED_ENV });
  replica = await startTestControlPlane(store.uri, { env: POPULATED_ENV });
  tenant = await populate(plane, connection, receiver);
  all = await operationsOf(plane);
});
afterAll(async () => {
  await plane?.close();
  await replica?.close();
  await store?.close();
  await receiver?.close();
});

const own = (operation: Operation) =>
  concretePath(operation, (name) => tenant.ids[name] ?? (name === 'provider' ? 'deepgram' : name));

describe('rate limits', () => {
  // @rule 8.1, 8.3
  it('are 60 requests a minute by default, and 10 for the dial class', () => {
    const bare = testConfig('mongodb://localhost', DEFAULT_RATE_LIMITS);
    expect(bare.rateLimits).toEqual({ default: 60, session: 600, dial: 10, 'campaign-dispatch': 120 });
  });

  // @rule 8.3
  it('the dial class counts POST /calls and POST /phones/provision, together and apart from the rest', () => {
    const dial = all.filter(({ route }) => route.rateClass === 'dial').map(({ path }) => path);
    const named = all.filter(({ path }) => ['/api/v1/calls', '/api/v1/phones/provision'].includes(path));
    expect(dial.sort()).toEqual(
      expect.arrayContaining(named.filter(({ method }) => method === 'post').map(({ path }) => path)),
    );
    expect(
      all.filter(({ method, route }) => method === 'get' && (route.rateClass ?? 'default') !== 'default'),
    ).toEqual([]);
  });

  it('verification codes are counted with the calls: they ring people, too', () => {
    const starts = all.find(({ path, method }) => path === '/api/v1/verifications' && method === 'post');
    expect(starts?.route.rateClass).toBe('dial');
  });

  // @rule 8.5
  it('are given by every endpoint, whatever it answers', async () => {
    const without: string[] = [];
    for (const operation of all) {
      for (const key of [tenant.keyFor(operation.route), undefined]) {
        const { headers } = await plane.request(operation.method.toUpperCase(), own(operation), {
          ...(key === undefined ? {} : { key }),
        });
        const values = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
        if (!values.every((value) => value !== null && /^\d+$/.test(value))) {
          without.push(
            `${operation.method} ${operation.path} ${key === undefined ? 'without' : 'with'} a key`,
          );
        }
      }
    }
    expect(without).toEqual([]);
  });

  it.each([
    '/docs',
    '/docs/guides/getting-started',
    '/docs/docs.js',
    '/docs/console/swagger-ui.css',
    '/v1/openapi.json',
    '/healthz',
    '/readyz',
    '/dashboard',
    '/talk',
    '/nowhere',
    '/%zz',
  ])('are given by %s, which is no endpoint of the API', async (path) => {
    const { headers } = await plane.request('GET', path);
    for (const name of ['limit', 'remaining', 'reset']) {
      expect(headers.get(`x-ratelimit-${name}`), name).toMatch(/^\d+$/);
    }
  });

  it('are given for a request that cannot be read', async () => {
    const { hostname, port } = new URL(plane.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.end('no request\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    for (const name of ['Limit', 'Remaining', 'Reset']) {
      expect(answer).toMatch(new RegExp(`X-RateLimit-${name}: \\d+\\r\\n`));
    }
  });
});

describe('Idempotency-Key', () => {
  // @rule 8.6
  it('is honoured by every endpoint that changes something', async () => {
    const ignored: string[] = [];
    const mutating = all.filter(({ method }) => isMutating(method));
    // The identity provider names its messages by an id of its own (svix-id), and has no tenant whose key it
    // could be; a message that comes again changes nothing (clerk.test.ts).
    const exempt = mutating.filter(({ route }) => !isIdempotent(route)).map(({ path }) => path);
    expect(exempt).toEqual(['/api/v1/webhooks/clerk']);
    const keyed = mutating.filter(({ route }) => isIdempotent(route));
    // Uploads are repeated in campaigns/upload.test.ts and compliance/dnc/dnc.test.ts.
    for (const operation of keyed.filter(({ route }) => route.bodyType !== 'stream')) {
      const body = acceptedBody(operation.route);
      const headers = { 'idempotency-key': `key of ${operation.route.operationId}` };
      const request = {
        key: tenant.keyFor(operation.route),
        headers,
        ...(body === undefined ? {} : { body }),
      };
      const first = await plane.request(operation.method.toUpperCase(), own(operation), request);
      // What a retry may heal is not kept.
      if (first.status >= 500) continue;
      const second = await replica.request(operation.method.toUpperCase(), own(operation), request);
      const replayed = second.headers.get('x-idempotent-replay') === 'true';
      const same = second.status === first.status && second.text === first.text;
      if (!(replayed && same))
        ignored.push(
          `${operation.method} ${operation.path}: ${first.status}, then ${second.status} ${second.text}`,
        );
    }
    expect(ignored).toEqual([]);
  });

  it('of requests at the same moment on two replicas runs each once', async () => {
    const { key } = await plane.newKey();
    const create = (on: TestControlPlane, idempotencyKey: string) =>
      on.request('POST', '/api/v1/keys', {
        key,
        body: { name: 'once' },
        headers: { 'idempotency-key': idempotencyKey },
      });
    const asked = Array.from({ length: 24 }, (_, n) => create(n % 2 ? plane : replica, `key ${n % 3}`));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
    const { json } = await plane.request('GET', '/api/v1/keys?include_total=true', { key });
    expect((json as { total: number }).total).toBe(1 + 3);
  });
});

describe('a cursor', () => {
  // @rule 8.15
  it('neither repeats nor misses what was there, while entries are added and deleted on two replicas', async () => {
    const { key, id: first } = await plane.newKey();
    const make = async (on: TestControlPlane) =>
      ((await on.request('POST', '/api/v1/keys', { key, body: { name: 'n' } })).json as { id: string }).id;
    const made = [first];
    for (let n = 0; n < 20; n++) made.push(await make(n % 2 ? plane : replica));
    const doomed = new Set(made.filter((_id, n) => n % 5 === 2));
    const seen: string[] = [];
    for (let cursor: string | null = null, page = 0; ; page++) {
      const on = page % 2 ? replica : plane;
      const path = `/api/v1/keys?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`;
      const { json } = await on.request('GET', path, { key });
      const { keys, has_more, next_cursor } = json as {
        keys: { id: string }[];
        has_more: boolean;
        next_cursor: string | null;
      };
      seen.push(...keys.map(({ id }) => id));
      expect(has_more).toBe(next_cursor !== null);
      await make(on);
      const [gone] = doomed;
      if (gone !== undefined) {
        doomed.delete(gone);
        await on.request('DELETE', `/api/v1/keys/${gone}`, { key });
      }
      if (!has_more) break;
      cursor = next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    const stayed = made.filter((_id, n) => n % 5 !== 2);
    expect(seen.filter((id) => stayed.includes(id)).sort()).toEqual([...stayed].sort());
  });
});
