import { newId } from '@voice/shared/ids/ids';
import { anyCharacter } from '@voice/shared/testing/any-character';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { Route } from './route.js';
import { isMutating } from './route-traits.js';

let store: TestStore;
let plane: TestControlPlane;
let key: string;
let live: string;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
  const tenant = `fuzzed ${newId()}`;
  ({ key } = await plane.newKey({ tenant }));
  ({ key: live } = await plane.newKey({ tenant, sandbox: false }));
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

/** Of each route, other ones in every run; more by hand: PROPERTY_RUNS=500. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 6);
/** What a test's installation lacks; saying so is no fault. */
const NOT_HERE = new Set(['payment_provider_not_configured', 'carrier_error', 'workers_at_capacity']);

const routes = (): Route[] => plane.modules.flatMap((module) => module.routes ?? []);

/** What attackers and mistaken clients send in place of a value. */
const oddText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    '$where',
    '{"$gt":""}',
    '\u0000',
    '__proto__',
    '../../etc/passwd',
    '%00',
    '9'.repeat(400),
    'null',
  ),
);
const oddValue = fc.oneof(
  fc.jsonValue(),
  oddText,
  fc.constantFrom<fc.JsonValue>({ $gt: '' }, { $ne: null }, [{ $where: 'sleep(1)' }], 1e308, -0.5),
);

/** An object with the route's own field names and odd values in them. */
function oddBody(route: Route): fc.Arbitrary<unknown> {
  const shape = route.body && 'shape' in route.body ? Object.keys(route.body.shape as object) : [];
  const fields = fc.record(Object.fromEntries(shape.map((name) => [name, oddValue])), { requiredKeys: [] });
  return fc.oneof(oddValue, fields);
}

describe('whatever is sent to any route', () => {
  it('is accepted or refused in the documented form, and is never a fault of the service', async () => {
    for (const route of routes()) {
      const request = fc.tuple(
        oddBody(route),
        oddText,
        oddText,
        fc.dictionary(oddText, oddText, { maxKeys: 3 }),
      );
      const check = async ([body, parameter, query, more]: [
        unknown,
        string,
        string,
        Record<string, string>,
      ]) => {
        const names = route.query && 'shape' in route.query ? Object.keys(route.query.shape as object) : [];
        const search = new URLSearchParams([
          ...Object.entries(more),
          ...names.map((name): [string, string] => [name, query]),
        ]);
        const path = route.path.replaceAll(
          /\{\w+\}/g,
          () => encodeURIComponent(Buffer.from(parameter).toString()) || '-',
        );
        const answer = await plane.request(route.method.toUpperCase(), `${path}?${search}`, {
          key: route.auth === 'tenant_live' ? live : key,
          body: isMutating(route.method) ? JSON.stringify(body) : undefined,
        });
        const { code } = (answer.json ?? {}) as { code?: string };
        if (!NOT_HERE.has(code ?? '')) {
          expect(answer.status, `${route.method} ${path}: ${answer.text}`).toBeLessThan(500);
        }
        if (answer.status >= 400) {
          expect(answer.json).toMatchObject({ code: expect.any(String), request_id: expect.any(String) });
        }
      };
      await fc.assert(fc.asyncProperty(request, check), { numRuns: RUNS });
    }
    // It grows with the routes.
  }, 300_000);
});
