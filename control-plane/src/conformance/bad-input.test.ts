import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMutating } from '../platform/http/route-traits.js';
import { startTestControlPlane, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { WebhookReceiver } from '../testing/webhook-receiver.js';
import { acceptedBody } from './body-arbitrary.js';
import { concretePath, type Operation, operationsOf } from './operations.js';
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
let tenant: PopulatedTenant;
let all: readonly Operation[];

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  receiver = await WebhookReceiver.start();
  plane = await startTestControlPlane(store.uri, { env: POPULATED_ENV });
  tenant = await populate(plane, connection, receiver);
  all = await operationsOf(plane);
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
  await receiver?.close();
});

const takesBody = ({ route }: Operation) =>
  route.body !== undefined && !route.receive && route.bodyType !== 'form';
/** Where a body is signed, whatever stands in it is looked at after its signature only. */
const takesUnsignedBody = (operation: Operation) => takesBody(operation) && !operation.route.verify;
const own = (operation: Operation) => concretePath(operation, (name) => tenant.ids[name] ?? name);

type Sent = (operation: Operation) => { body?: string; path?: string };

/** Sends the same to every endpoint of a kind; gives those that do not refuse it, and whether anything changed. */
async function refusals(
  operations: readonly Operation[],
  requests: readonly Sent[],
  statuses: readonly number[],
): Promise<string[]> {
  const before = await settledSnapshot(connection, tenant.tenantId);
  const wrong: string[] = [];
  for (const request of requests) {
    for (const operation of operations) {
      const { body, path = own(operation) } = request(operation);
      const answer = await plane.request(operation.method.toUpperCase(), path, {
        key: tenant.keyFor(operation.route),
        ...(body === undefined ? {} : { body }),
      });
      const { code, detail } = (answer.json ?? {}) as { code?: string; detail?: unknown };
      if (!statuses.includes(answer.status) || code === undefined || detail === undefined) {
        const sent = body?.slice(0, 80) ?? path;
        wrong.push(
          `${operation.method} ${operation.path} ${sent}: ${answer.status} ${answer.text.slice(0, 200)}`,
        );
      }
    }
  }
  if ((await snapshotOf(connection, tenant.tenantId)) !== before) wrong.push('something changed');
  return wrong;
}

/** One request for each of the bodies. */
const bodies = (...each: readonly string[]): Sent[] => each.map((body) => () => ({ body }));

/** The documented body with `value` in place of every one of its fields, one request each. */
function eachField(operation: Operation, value: unknown): unknown[] {
  const sample = acceptedBody(operation.route);
  if (typeof sample !== 'object' || sample === null) return [value];
  return Object.keys(sample).map((name) => ({ ...sample, [name]: value }));
}

describe('bad input, to every endpoint that takes a body', () => {
  it('malformed JSON answers 400 malformed_json', async () => {
    const malformed = bodies('{', '{"a":}', "{'a':1}", '[1,]', 'undefined', '{"a":1}x');
    expect(await refusals(all.filter(takesUnsignedBody), malformed, [400])).toEqual([]);
  });

  it('deep nesting answers 400', async () => {
    const deep = bodies('['.repeat(5000) + ']'.repeat(5000), `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`);
    expect(await refusals(all.filter(takesUnsignedBody), deep, [400])).toEqual([]);
  });

  it('a body over 1 MiB answers 413 payload_too_large', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
    expect(
      await refusals(
        all.filter((operation) => takesBody(operation) && !operation.route.bodyLimitBytes),
        bodies(body),
        [413],
      ),
    ).toEqual([]);
  });

  /** Sends bodies that the declaration refuses; those that it takes are left out. */
  async function expectRefused(bodiesOf: (operation: Operation) => readonly unknown[]): Promise<void> {
    const before = await settledSnapshot(connection, tenant.tenantId);
    const wrong: string[] = [];
    for (const operation of all.filter(takesBody)) {
      for (const body of bodiesOf(operation)) {
        const text = JSON.stringify(body);
        // Objects that the tenant may fill as they like take an object like any other.
        if (operation.route.body?.safeParse(JSON.parse(text)).success) continue;
        const answer = await plane.request(operation.method.toUpperCase(), own(operation), {
          key: tenant.keyFor(operation.route),
          body: text,
        });
        if (![400, 401, 422].includes(answer.status)) {
          wrong.push(
            `${operation.method} ${operation.path} ${text.slice(0, 80)}: ${answer.status} ${answer.text.slice(0, 200)}`,
          );
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(await snapshotOf(connection, tenant.tenantId)).toBe(before);
  }

  it.each([
    ['an operator of the database', { $gt: '' }],
    ['a query that runs code', { $where: 'sleep(1000)' }],
    ['a string longer than any field takes', 'x'.repeat(200_000)],
  ])(
    '%s in the place of any field answers 422, and nothing changes',
    (_what, value) => expectRefused((operation) => eachField(operation, value)),
    60_000,
  );

  it('a string of almost 1 MB in the place of a field answers 422, and nothing changes', async () => {
    await expectRefused((operation) => eachField(operation, 'x'.repeat(1_000_000)).slice(0, 1));
  }, 60_000);

  it('another media type answers 415', async () => {
    for (const operation of all.filter(takesUnsignedBody)) {
      const answer = await plane.request(operation.method.toUpperCase(), own(operation), {
        key: tenant.keyFor(operation.route),
        body: '<a/>',
        headers: { 'content-type': 'application/xml' },
      });
      expect(answer.status, operation.path).toBe(415);
    }
  });

  it('whatever it is, an intake that wants a signature refuses it without one', async () => {
    const intakes = all.filter(({ route }) => route.verify !== undefined);
    expect(intakes.length).toBeGreaterThan(0);
    const unsigned = bodies('{', '['.repeat(5000), '{"type":"user.created"}');
    expect(await refusals(intakes, unsigned, [401, 422])).toEqual([]);
  });
});

describe('bad input, in the query of every list', () => {
  const listed = (name: string) =>
    all.filter(
      ({ method, route }) =>
        method === 'get' && route.query && 'shape' in route.query && name in (route.query.shape as object),
    );

  it.each([
    ['limit', ['0', '-1', '1.5', '1e9', 'x', '', '99999999999999999999', '{"$gt":0}']],
    ['offset', ['-1', '1.5', 'x', '', '99999999999999999999']],
    ['cursor', ['x', '!', 'AAAA', 'a'.repeat(1000)]],
    ['days', ['0', '91', '-1', 'x']],
  ])('a bad %s answers 422', async (name, values) => {
    expect(listed(name).length).toBeGreaterThan(0);
    const requests = values.map((value): Sent => {
      return (operation) => ({ path: `${own(operation)}?${new URLSearchParams({ [name]: value })}` });
    });
    expect(await refusals(listed(name), requests, [422])).toEqual([]);
  });

  // @rule 8.9
  it('a limit over the documented page size answers 422, the page size itself does not', async () => {
    const sizes: Record<string, [number, number]> = {
      '/api/v1/agents': [100, 50],
      '/api/v1/calls': [500, 50],
      '/api/v1/campaigns': [100, 50],
      '/api/v1/campaigns/{campaign_id}/contacts': [100, 50],
      '/api/v1/campaigns/{campaign_id}/extracted-data': [100, 25],
      '/api/v1/phones/available': [20, 10],
      '/api/v1/webhooks/{webhook_id}/deliveries': [500, 50],
    };
    for (const operation of listed('limit')) {
      const size = sizes[operation.path];
      if (!size) continue;
      const limit = (value: number) =>
        plane.request('GET', `${own(operation)}?limit=${value}`, { key: tenant.keyFor(operation.route) });
      expect((await limit(size[0] + 1)).status, operation.path).toBe(422);
      const full = await limit(size[0]);
      // The search for numbers asks a carrier, which is not here.
      if (full.status < 500) expect(full.status, operation.path).toBe(200);
    }
  });

  it('a repeated or unknown parameter does no harm', async () => {
    for (const operation of all.filter(({ method }) => !isMutating(method))) {
      const answer = await plane.request('GET', `${own(operation)}?limit=5&limit=6&$where=1&a[$gt]=1`, {
        key: tenant.keyFor(operation.route),
      });
      expect(answer.status < 500 || answer.status === 502 || answer.status === 503, answer.text).toBe(true);
    }
  });
});
