import { newId } from '@voice/shared/ids/ids';
import fc from 'fast-check';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMutating } from '../platform/http/route-traits.js';
import { startTestControlPlane, type TestAnswer, type TestControlPlane } from '../testing/control-plane.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { WebhookReceiver } from '../testing/webhook-receiver.js';
import { spoiled, wellFormedBody } from './body-arbitrary.js';
import { concretePath, type Operation, operationsOf } from './operations.js';
import { POPULATED_ENV, type PopulatedTenant, populate } from './populated-tenant.js';

/** Of each operation, the same in every run; longer and other ones by hand: PROPERTY_RUNS=500 PROPERTY_SEED=2. */
const numRuns = Number(process.env.PROPERTY_RUNS ?? 8);
const seed = Number(process.env.PROPERTY_SEED ?? 1);
/** What this installation lacks, and says so. */
const LACKING = new Set([
  'payment_provider_not_configured',
  'carrier_error',
  'workers_at_capacity',
  'language_model_failed',
  'webrtc_not_available',
]);

let store: TestStore;
let connection: Connection;
let receiver: WebhookReceiver;
let plane: TestControlPlane;
let all: readonly Operation[];

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  receiver = await WebhookReceiver.start();
  plane = await startTestControlPlane(store.uri, { env: POPULATED_ENV });
  all = await operationsOf(plane);
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
  await receiver?.close();
});

/**
 * The answer is one that the description names: its status, and its code where it is an error. Bodies are
 * held against their schemas by the control plane itself, which answers 500 where they differ.
 */
function expectDescribed(operation: Operation, answer: TestAnswer, sent: unknown): void {
  const where = `${operation.method} ${operation.path} with ${JSON.stringify(sent)}: ${answer.status} ${answer.text.slice(0, 500)}`;
  const described = operation.responses[String(answer.status)];
  expect(described, where).toBeDefined();
  if (answer.status < 400) return;
  const { code } = answer.json as { code: string };
  expect(described?.['x-error-codes'], where).toContain(code);
  // The key is good: a request that is not let in would show nothing.
  expect(code, where).not.toBe('invalid_api_key');
  if (answer.status >= 500) expect([...LACKING], where).toContain(code);
}

const oddText = fc.constantFrom(
  '',
  '-1',
  '0',
  '1',
  '99999999999999999999',
  'NaN',
  '{"$gt":""}',
  '\u0000',
  'true',
  'x'.repeat(2000),
);

/** The documented query with odd values in some places. */
function someQuery({ route }: Operation): fc.Arbitrary<string> {
  const names = route.query && 'shape' in route.query ? Object.keys(route.query.shape as object) : [];
  if (names.length === 0) return fc.constant('');
  return fc
    .dictionary(fc.constantFrom(...names), oddText, { maxKeys: 3 })
    .map((query) => `?${new URLSearchParams(query)}`);
}

function someId(tenant: PopulatedTenant): fc.Arbitrary<(name: string) => string> {
  return fc
    .constantFrom('own', 'own', 'own', 'absent')
    .map((kind) => (name: string) => (kind === 'own' ? (tenant.ids[name] ?? name) : newId()));
}

async function ask(
  operation: Operation,
  tenant: PopulatedTenant,
  request: { body: unknown; query: string; id: (name: string) => string },
): Promise<void> {
  const path = concretePath(operation, request.id) + request.query;
  const answer = await plane.request(operation.method.toUpperCase(), path, {
    key: tenant.keyFor(operation.route),
    ...(isMutating(operation.method) && request.body !== undefined
      ? { body: JSON.stringify(request.body) }
      : {}),
  });
  expectDescribed(operation, answer, request);
}

describe('every endpoint, whatever it is sent', () => {
  it('of the documented form: answers as described, and never by a fault of its own', async () => {
    const tenant = await populate(plane, connection, receiver);
    for (const operation of all.filter(({ route }) => route.bodyType !== 'stream')) {
      const request = fc.record({
        body: wellFormedBody(operation.route),
        query: someQuery(operation),
        id: someId(tenant),
      });
      await fc.assert(
        fc.asyncProperty(request, (made) => ask(operation, tenant, made)),
        { numRuns, seed },
      );
    }
  });

  // @rule 7.6
  it('of that form with one thing wrong: the same', async () => {
    const tenant = await populate(plane, connection, receiver);
    for (const operation of all.filter(({ route }) => route.body && !route.receive)) {
      const request = fc.record({
        body: wellFormedBody(operation.route).chain(spoiled),
        query: fc.constant(''),
        id: someId(tenant),
      });
      await fc.assert(
        fc.asyncProperty(request, (made) => ask(operation, tenant, made)),
        { numRuns, seed },
      );
    }
  });

  it('takes some bodies of the documented form, so that the above says something', async () => {
    const refused = all.filter(({ route }) => {
      if (!route.body || route.receive) return false;
      const { body } = route;
      return !fc
        .sample(wellFormedBody(route), { numRuns: 200, seed: 7 })
        .some((candidate) => body.safeParse(JSON.parse(JSON.stringify(candidate ?? null))).success);
    });
    expect(refused.map(({ path }) => path)).toEqual([]);
  });
});
