import { newId, newTenantId } from '@voice/shared/ids/ids';
import { type Connection, Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { isDuplicateKey } from '../http/errors.js';
import { TenantCollection } from './tenant-collection.js';

interface Thing {
  _id: string;
  tenant_id: string;
  name: string;
}

let store: TestStore;
let connection: Connection;
let things: TenantCollection<Thing>;
const [mine, theirs] = [newTenantId(), newTenantId()];

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  things = new TenantCollection(
    connection.model<Thing>('Thing', new Schema<Thing>({ _id: String, tenant_id: String, name: String })),
  );
});
afterAll(() => store?.close());

async function add(tenant = theirs): Promise<string> {
  const _id = newId();
  await things.insert(tenant, { _id, name: 'thing' });
  return _id;
}

describe("another tenant's document", () => {
  it('is not found, listed, counted, replaced or deleted', async () => {
    const _id = await add();
    const nobody = newTenantId();
    expect(await things.findOne(mine, { _id })).toBeNull();
    expect(await Promise.all([things.get(mine, _id), things.get(theirs, _id)])).toEqual([
      null,
      expect.objectContaining({ _id, tenant_id: theirs, name: 'thing' }),
    ]);
    expect(await things.findPage(nobody, {}, { sort: { _id: 1 }, limit: 9 })).toEqual([]);
    expect(await things.count(nobody, {})).toBe(0);
    expect(await things.replace(mine, { _id }, { _id, tenant_id: mine, name: 'stolen' })).toBe(false);
    expect(await things.delete(mine, { _id })).toBe(false);
    expect(await things.findOne(theirs, { _id })).toMatchObject({ name: 'thing', tenant_id: theirs });
  });

  // @rule 1.1
  it('cannot be reached by a filter that names its tenant, nor moved to another', async () => {
    const _id = await add(mine);
    // @ts-expect-error: the tenant is said by the first argument alone
    expect(await things.findOne(theirs, { _id, tenant_id: mine })).toBeNull();
    await things.replace(mine, { _id }, { _id, tenant_id: theirs, name: 'moved' });
    expect(await things.findOne(mine, { _id })).toMatchObject({ name: 'moved', tenant_id: mine });
  });
});

it('a query without a tenant does not compile', () => {
  // @ts-expect-error: a plain string is no tenant
  const wrong = () => things.count('some text', {});
  // @ts-expect-error: the tenant is missing
  const missing = () => things.findOne({ _id: 'x' });
  expect([wrong, missing]).toHaveLength(2);
});

it('a second document under the same id is refused as a duplicate', async () => {
  const _id = await add();
  const error = await things.insert(theirs, { _id, name: 'again' }).catch((thrown: unknown) => thrown);
  expect(isDuplicateKey(error)).toBe(true);
  expect(isDuplicateKey(new Error('something else'))).toBe(false);
});
