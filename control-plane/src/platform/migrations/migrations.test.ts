import { newId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { leaseRows } from './migration-rows.js';
import { MIGRATIONS } from './migrations.js';
import { SHARD_KEYS } from './sharding.js';

const RETIRED = MIGRATIONS.flatMap(({ retires = [] }) => retires);

const PATH = '/api/v1/compliance/dnc';
const NUMBER = '+12125550123';
const OPERATORS_OWN = 'note_1';

/** What such a store has, as it was declared. */
const OLD_UNIQUE = 'tenant_id_1_number_1';
const OLD_PARTIAL: Readonly<Record<string, Record<string, unknown>>> = {
  tenant_id_1_carrier_1: { carrier: 'websocket' },
  tenant_id_1_post_call_due_at_1: { post_call_due_at: { $gt: new Date(0) } },
};

/** `a_1_b_-1` as a key. */
function keyOf(name: string): [string, 1 | -1][] {
  return [...name.matchAll(/_?(\w+?)_(-?1)(?=_|$)/g)].map(([, field, order]) => [
    field!,
    Number(order) as 1 | -1,
  ]);
}

/** Makes the store what it was before lists were kept by mode, and before steps were noted. */
async function makeOld(store: Connection): Promise<void> {
  for (const { collection, name } of RETIRED) {
    const rows = store.collection(collection);
    const partial = OLD_PARTIAL[name];
    await rows.createIndex(keyOf(name), {
      unique: name === OLD_UNIQUE,
      ...(partial ? { partialFilterExpression: partial } : {}),
    });
  }
  const entries = store.collection('dnc_entries');
  await entries.dropIndex('tenant_id_1_sandbox_1_number_1');
  await entries.createIndex({ note: 1 });
  await entries.updateMany({}, { $unset: { sandbox: 1 } });
  // With options that a later version has changed.
  const deliveries = store.collection('webhook_deliveries');
  await deliveries.dropIndex('expires_at_1');
  await deliveries.createIndex({ expires_at: 1 }, { expireAfterSeconds: 3600 });
  await store.collection('migrations').drop();
}

const namesIn = async (store: Connection, collection: string) =>
  (await store.collection(collection).indexes()).map(({ name }) => name ?? '');

let store: TestStore;
let before: TestControlPlane;
let plane: TestControlPlane;
let live: string;
let sandbox: string;
let whileMigrating: readonly object[];

async function answerAt({ port }: { readonly port: number }, path: string): Promise<object> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, body: await answer.json() };
}

beforeAll(async () => {
  store = await startTestStore();
  before = await startTestControlPlane(store.uri);
  const tenant = `tenant ${newId()}`;
  live = (await before.newKey({ tenant, sandbox: false })).key;
  sandbox = (await before.newKey({ tenant })).key;
  const added = await before.request('POST', PATH, { key: live, body: { phone_number: NUMBER } });
  expect(added.status).toBe(201);
  await makeOld(before.platform.store);
  const rows = leaseRows(before.platform.store);
  const another = {
    holder: 'another replica',
    until: new Date(Date.now() + 600_000),
    round: 0,
    fingerprint: null,
  };
  await rows.insertOne({ _id: 'lease', ...another });
  plane = await startTestControlPlane(store.uri, {
    onListening: async (at) => {
      whileMigrating = await Promise.all(
        ['/healthz', '/readyz', '/api/v1/agents'].map((path) => answerAt(at, path)),
      );
      await rows.updateOne({ _id: 'lease' }, { $set: { holder: null } });
    },
  });
});
afterAll(async () => {
  await plane?.close();
  await before?.close();
  await store?.close();
});

describe('a store from before lists were kept by mode', () => {
  it('has the indexes of now after the start, and what its operator has made', async () => {
    const { models } = plane.platform.store;
    const indexed = Object.values(models).filter(({ schema }) => schema.indexes().length > 0);
    expect(indexed.length).toBeGreaterThan(20);
    for (const model of indexed) {
      const collection = model.collection.name;
      const declared = model.schema.indexes().map(
        ([key, { name }]) =>
          name ??
          Object.entries(key)
            .map(([field, order]) => `${field}_${String(order)}`)
            .join('_'),
      );
      const own = collection === 'dnc_entries' ? [OPERATORS_OWN] : [];
      const present = await namesIn(plane.platform.store, collection);
      expect([collection, present.sort()]).toEqual([collection, ['_id_', ...declared, ...own].sort()]);
    }
  });

  it('takes a number in one mode that is listed in the other', async () => {
    const { status } = await plane.request('POST', PATH, { key: sandbox, body: { phone_number: NUMBER } });
    expect(status).toBe(201);
  });

  it('shows its entries to live keys, and lets them be removed', async () => {
    const listed = await plane.request('GET', PATH, { key: live });
    const { entries } = listed.json as { entries: { id: string; phone_number: string }[] };
    expect(entries.map(({ phone_number }) => phone_number)).toEqual([NUMBER]);
    const removed = await plane.request('DELETE', `${PATH}/${entries[0]!.id}`, { key: live });
    expect(removed.status).toBe(204);
  });

  it('keeps the replica alive and not ready until it is migrated, and requests come again', () => {
    expect(whileMigrating).toMatchObject([
      { status: 200 },
      {
        status: 503,
        body: { reasons: ['migrating', 'not_accepting'], checks: { store: true, migrated: false } },
      },
      { status: 503, body: { code: 'store_unavailable' } },
    ]);
  });

  it('has the options of now', async () => {
    const deliveries = await plane.platform.store.collection('webhook_deliveries').indexes();
    expect(deliveries).toContainEqual(
      expect.objectContaining({ name: 'expires_at_1', expireAfterSeconds: 0 }),
    );
  });

  it('has each step noted, in the order of their numbers', async () => {
    const rows = plane.platform.store.collection<{ number: number; name: string }>('migrations');
    const noted = await rows
      .find({ number: { $gt: 0 }, done_at: { $ne: null } })
      .sort({ number: 1 })
      .toArray();
    expect(noted.map(({ number, name }) => [number, name])).toEqual(
      MIGRATIONS.map(({ number, name }) => [number, name]),
    );
    expect(noted.map(({ number }) => number)).toEqual(noted.map((_, n) => n + 1));
  });

  it('has no unique index that sharding would refuse', () => {
    for (const [collection, key] of Object.entries(SHARD_KEYS)) {
      const model = Object.values(plane.platform.store.models).find(
        (each) => each.collection.name === collection,
      );
      const unique = (model?.schema.indexes() ?? []).filter(([, options]) => options.unique);
      expect([collection, model?.schema.path('tenant_id')?.isRequired]).toEqual([collection, true]);
      for (const [fields] of unique) {
        expect([collection, Object.keys(fields).slice(0, Object.keys(key).length)]).toEqual([
          collection,
          Object.keys(key),
        ]);
      }
    }
  });
});
