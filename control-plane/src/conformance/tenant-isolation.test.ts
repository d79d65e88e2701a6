import { newId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../platform/http/route.js';
import { isMutating } from '../platform/http/route-traits.js';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { WebhookReceiver } from '../testing/webhook-receiver.js';
import { acceptedBody } from './body-arbitrary.js';
import { concretePath, isId, type Operation, operationsOf } from './operations.js';
import {
  POPULATED_ENV,
  type PopulatedTenant,
  populate,
  settledSnapshot,
  snapshotOf,
} from './populated-tenant.js';

let store: TestStore;
let connection: Connection;
let receiver: WebhookReceiver;
let plane: TestControlPlane;
let theirs: PopulatedTenant;
/** The key of somebody else: a production key for what is production's alone. */
let mine: (route: Pick<Route, 'auth'>) => string;
let all: readonly Operation[];

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  receiver = await WebhookReceiver.start();
  plane = await startTestControlPlane(store.uri, { env: POPULATED_ENV });
  theirs = await populate(plane, connection, receiver);
  const tenant = `stranger ${newId()}`;
  const [test, live] = [await plane.newKey({ tenant }), await plane.newKey({ tenant, sandbox: false })];
  mine = ({ auth }) => (auth === 'tenant_live' ? live.key : test.key);
  all = await operationsOf(plane);
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
  await receiver?.close();
});

/** Values that only some schema's refinement knows. */
const FUTURE = { next_retry_at: '2099-01-01T00:00:00Z' };

/** A request of the documented form, so that nothing but the id is a reason to refuse it. */
function send(operation: Operation, path: string, key: string | undefined) {
  const { route, method } = operation;
  if (route.bodyType === 'stream') {
    const boundary = 'boundary';
    const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="x.csv"\r\n\r\nphone\r\n+12025550199\r\n--${boundary}--\r\n`;
    return plane.request(method.toUpperCase(), path, {
      ...(key === undefined ? {} : { key }),
      body: file,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
  }
  const sample = acceptedBody(route);
  const body =
    typeof sample === 'object' && sample !== null && 'next_retry_at' in sample
      ? { ...sample, ...FUTURE }
      : sample;
  return plane.request(method.toUpperCase(), path, {
    ...(key === undefined ? {} : { key }),
    ...(isMutating(method) && body !== undefined ? { body } : {}),
  });
}

describe('tenant isolation, for every endpoint of the OpenAPI description', () => {
  it('has something to test: an id of the populated tenant for every id in a path', () => {
    expect(all.length).toBeGreaterThan(50);
    const unknown = all
      .flatMap(({ parameters }) => parameters.filter(isId))
      .filter((name) => theirs.ids[name] === undefined || theirs.ids[name] === 'undefined');
    expect(unknown, 'add it to populated-tenant.ts').toEqual([]);
  });

  // @rule 1.1
  it("with another tenant's id answers 404, and changes nothing of that tenant", async () => {
    const before = await settledSnapshot(connection, theirs.tenantId);
    expect(before.length).toBeGreaterThan(2000);
    const wrong: string[] = [];
    for (const operation of all.filter(({ parameters }) => parameters.some(isId))) {
      const path = concretePath(operation, (name) => theirs.ids[name] ?? name);
      const answer = await send(operation, path, mine(operation.route));
      if (answer.status !== 404) wrong.push(`${operation.method} ${path}: ${answer.status} ${answer.text}`);
    }
    expect(wrong).toEqual([]);
    expect(await snapshotOf(connection, theirs.tenantId)).toBe(before);
  });

  it("with another tenant's id in the body finds nothing either", async () => {
    const before = await settledSnapshot(connection, theirs.tenantId);
    const wrong: string[] = [];
    for (const operation of all.filter(({ method, parameters }) => method !== 'get' && !parameters.length)) {
      const sample = acceptedBody(operation.route);
      if (typeof sample !== 'object' || sample === null) continue;
      const named = Object.keys(sample).filter((name) => theirs.ids[name] !== undefined);
      if (named.length === 0) continue;
      const body = { ...sample, ...Object.fromEntries(named.map((name) => [name, theirs.ids[name]])) };
      const answer = await plane.request(operation.method.toUpperCase(), operation.path, {
        key: mine(operation.route),
        body,
      });
      if (answer.status < 400) wrong.push(`${operation.method} ${operation.path}: ${answer.status}`);
    }
    expect(wrong).toEqual([]);
    expect(await snapshotOf(connection, theirs.tenantId)).toBe(before);
  });

  // @rule 7.2
  it('with an id that nobody has answers 404 with the very same code', async () => {
    for (const operation of all.filter(({ parameters }) => parameters.some(isId))) {
      const foreign = await send(
        operation,
        concretePath(operation, (name) => theirs.ids[name] ?? name),
        mine(operation.route),
      );
      const absent = await send(
        operation,
        concretePath(operation, (name) => (isId(name) ? newId() : name)),
        mine(operation.route),
      );
      const codes = [absent.json, foreign.json].map((json) => (json as { code: string }).code);
      expect(codes[0], `${operation.method} ${operation.path}`).toBe(codes[1]);
      expect(absent.status).toBe(404);
    }
  });

  // @rule 2.1
  it('with a malformed id answers 422', async () => {
    for (const operation of all.filter(({ parameters }) => parameters.some(isId))) {
      for (const bad of ['x', '1', '{"$gt":""}', `${newId()}0`]) {
        const answer = await send(
          operation,
          concretePath(operation, () => bad),
          mine(operation.route),
        );
        expect(answer.status, `${operation.method} ${operation.path} ${bad}`).toBe(422);
        expect(answer.json).toMatchObject({ code: 'validation_error' });
      }
    }
  });

  // @rule 1.1
  it("lists nothing of another tenant's", async () => {
    const ids = new Set(Object.values(theirs.ids));
    const wrong: string[] = [];
    for (const operation of all.filter(({ method, parameters }) => method === 'get' && !parameters.length)) {
      const { text } = await plane.request('GET', operation.path, { key: mine(operation.route) });
      for (const id of ids) if (text.includes(id)) wrong.push(`${operation.path} shows ${id}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('credentials, for every endpoint of the OpenAPI description', () => {
  const EXEMPT = [
    'GET /api/v1/webhooks/event-types',
    'GET /api/v1/integrations/{slug}/callback',
    'POST /api/v1/webhooks/clerk',
  ];

  // @rule 5.11
  it('are wanted everywhere but where the specification exempts it', () => {
    const open = all.filter(({ guarded }) => !guarded);
    expect(EXEMPT).toEqual(
      expect.arrayContaining(open.map(({ method, path }) => `${method.toUpperCase()} ${path}`)),
    );
  });

  // @rule 4.1, 5.10
  it.each([
    ['none', undefined, 'missing_credentials'],
    ['an unknown key', `sk_test_${'x'.repeat(32)}`, 'invalid_api_key'],
    ['nonsense', 'nonsense', 'invalid_api_key'],
  ])('%s answer 401 with a stable code, and change nothing', async (_what, key, code) => {
    const before = await settledSnapshot(connection, theirs.tenantId);
    for (const operation of all.filter(({ guarded }) => guarded)) {
      const path = concretePath(operation, (name) => theirs.ids[name] ?? name);
      const answer = await send(operation, path, key);
      expect(answer.status, `${operation.method} ${path}: ${answer.text}`).toBe(401);
      expect(answer.json).toMatchObject({ code });
    }
    expect(await snapshotOf(connection, theirs.tenantId)).toBe(before);
  });
});
