import { type Connection, Schema } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { ConditionalUpdates } from './conditional-updates.js';
import { Gathered } from './gathered.js';
import { GatheredInserts } from './gathered-inserts.js';
import { GatheredUpdates } from './gathered-updates.js';
import { insertMissing } from './insert-missing.js';
import { ReadsById, ReadsByTenantAndId } from './reads-by-id.js';
import { ReadsByKey } from './reads-by-key.js';
import { sharedReads } from './shared-reads.js';
import { TakingUpdates } from './taking-updates.js';
import type { TenantKey } from './tenant-scope.js';

describe('gathered writes', () => {
  it('what comes while a write is under way goes out together as the next; each gets its own result', async () => {
    const batches: number[][] = [];
    const finish: (() => void)[] = [];
    const gathered = new Gathered<number, number>(async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => finish.push(resolve));
      return items.map((item) => item * 10);
    });
    const first = gathered.add(1);
    await eventually(() => batches.length === 1);
    const later = [gathered.add(2), gathered.add(3)];
    finish[0]!();
    expect(await first).toBe(10);
    await eventually(() => batches.length === 2);
    finish[1]!();
    expect(await Promise.all(later)).toEqual([20, 30]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('a batch that fails fails for all of it, and for nobody after it', async () => {
    const gathered = new Gathered<number, number>(async (items) => {
      if (items.includes(2)) throw new Error('no');
      return items;
    });
    await expect(gathered.add(2)).rejects.toThrow('no');
    expect(await gathered.add(4)).toBe(4);
  });
});

interface Thing {
  _id: string;
  name?: string;
}

interface Owned extends Thing {
  tenant_id: string;
}

describe('inserting what is missing', () => {
  let store: TestStore;
  let connection: Connection;
  beforeAll(async () => {
    store = await startTestStore();
    connection = await store.connect();
  });
  afterAll(() => store?.close());

  it('leaves what is there as it is, and returns what was added', async () => {
    const things = connection.model<Thing>('Thing', new Schema<Thing>({ _id: String, name: String }));
    const row = (_id: string, name: string) => ({ _id, name });
    expect(await insertMissing(things, [row('a', 'first')])).toHaveLength(1);
    const added = await insertMissing(things, [row('a', 'second'), row('b', 'new'), row('b', 'twice')]);
    expect(added).toEqual([row('b', 'new')]);
    expect((await things.findById('a'))?.name).toBe('first');
    expect(await insertMissing(things, [])).toEqual([]);
  });

  it('does not hide any other failure', async () => {
    const gone = await store.connect();
    const things = gone.model<Thing>('Thing', new Schema<Thing>({ _id: String, name: String }));
    await gone.close();
    await expect(insertMissing(things, [{ _id: 'x' }])).rejects.toThrow();
  });
});

it('a question that many ask at the same time is asked once, and again for those who ask later', async () => {
  const asked: string[] = [];
  const read = sharedReads(
    ({ name }: { name: string }) => name,
    async ({ name }) => {
      asked.push(name);
      return `${name}: ${asked.length}`;
    },
  );
  expect(await Promise.all([read({ name: 'a' }), read({ name: 'b' }), read({ name: 'a' })])).toEqual([
    'a: 1',
    'b: 2',
    'a: 1',
  ]);
  expect(await read({ name: 'a' })).toBe('a: 3');
});

describe('commands that come at the same time are one, and each learns its own result', () => {
  let store: TestStore;
  let connection: Connection;
  const tenant_id = 'a tenant';
  const model = () =>
    connection.models.Thing ??
    connection.model<Owned>('Thing', new Schema<Owned>({ _id: String, tenant_id: String, name: String }));
  const named = () =>
    connection.models.Named ??
    connection.model<Thing>('Named', new Schema<Thing>({ _id: String, name: String }));
  beforeAll(async () => {
    store = await startTestStore();
    connection = await store.connect();
  });
  afterAll(() => store?.close());

  it('inserts: a document that is there already is reported, and fails no other', async () => {
    const inserts = new GatheredInserts<Thing>(named());
    expect(await inserts.insert({ _id: 'i1', name: 'first' })).toBe(true);
    const ids = ['i1', 'i2', 'i3', 'i2'];
    expect(await Promise.all(ids.map((_id) => inserts.insert({ _id, name: 'later' })))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('reads by id: the document or null, without the fields that are not asked for', async () => {
    await new GatheredInserts<Thing>(named()).insert({ _id: 'r1', name: 'here' });
    const reads = new ReadsById<Thing>(named());
    expect(await Promise.all(['r1', 'gone', 'r1'].map((id) => reads.get(id)))).toEqual([
      { _id: 'r1', name: 'here' },
      null,
      { _id: 'r1', name: 'here' },
    ]);
    expect(await new ReadsById<Thing>(named(), ['name']).get('r1')).toEqual({ _id: 'r1' });
  });

  it("reads by tenant and id: the document, and null where it is another tenant's", async () => {
    const rows = ['a tenant', 'another'].map((owner) => ({
      _id: `of ${owner}`,
      tenant_id: owner,
      name: 'x',
    }));
    await insertMissing<Owned>(model(), rows);
    const reads = new ReadsByTenantAndId<Owned>(model(), ['name']);
    const [own, others] = ['of a tenant', 'of another'];
    expect(
      await Promise.all([
        reads.get(tenant_id, own),
        reads.get(tenant_id, others),
        reads.get('another', others),
        reads.get('another', 'gone'),
      ]),
    ).toEqual([{ _id: own, tenant_id }, null, { _id: others, tenant_id: 'another' }, null]);
    expect(await Promise.all([own, others, 'gone'].map((id) => reads.getOfAnyTenant(id)))).toEqual([
      { _id: own, tenant_id },
      { _id: others, tenant_id: 'another' },
      null,
    ]);
  });

  it('reads by tenant and id the fields alone that are asked for', async () => {
    await insertMissing<Owned>(model(), [{ _id: 'whole', tenant_id, name: 'x' }]);
    const reads = new ReadsByTenantAndId<Owned, TenantKey>(model(), { only: ['tenant_id'] });
    expect(await reads.get(tenant_id, 'whole')).toEqual({ _id: 'whole', tenant_id });
    expect(await reads.get('another', 'whole')).toBeNull();
  });

  it('reads by key: the documents of each value in their order, none where there is none', async () => {
    const rows = ['k3', 'k1', 'k2'].map((_id) => ({ _id, tenant_id, name: _id === 'k2' ? 'other' : 'same' }));
    await insertMissing<Owned>(model(), [...rows, { _id: 'k4', tenant_id: 'another', name: 'same' }]);
    const reads = new ReadsByKey<Owned, 'name'>({ model: model(), key: 'name', sort: { _id: -1 } });
    const ids = await Promise.all(
      ['same', 'other', 'absent', 'same'].map(async (name) =>
        (await reads.get(tenant_id, name)).map(({ _id }) => _id),
      ),
    );
    expect(ids).toEqual([['k3', 'k1'], ['k2'], [], ['k3', 'k1']]);
  });

  it('updates that nobody asks about: each is made where its filter finds its document', async () => {
    await insertMissing<Owned>(
      model(),
      ['u1', 'u2', 'u3'].map((_id) => ({ _id, tenant_id, name: _id === 'u2' ? 'taken' : 'free' })),
    );
    const updates = new GatheredUpdates<Owned>(model());
    await Promise.all(
      ['u1', 'u2', 'u3'].map((_id) =>
        updates.make({ _id, tenant_id, name: 'free' }, { $set: { name: `by ${_id}` } }),
      ),
    );
    const names = new ReadsByKey<Owned, '_id'>({ model: model(), key: '_id' });
    expect((await Promise.all(['u1', 'u2', 'u3'].map((id) => names.get(tenant_id, id)))).flat()).toEqual([
      { _id: 'u1', tenant_id, name: 'by u1' },
      { _id: 'u2', tenant_id, name: 'taken' },
      { _id: 'u3', tenant_id, name: 'by u3' },
    ]);
  });

  it('conditional updates: two of one document beside others, of which one is made', async () => {
    await insertMissing<Owned>(
      model(),
      ['twice', 'once', 'not'].map((_id) => ({ _id, tenant_id, name: _id === 'not' ? 'taken' : 'free' })),
    );
    const updates = new ConditionalUpdates<Owned>(model());
    const to = (_id: string, from: string, name: string) =>
      updates.make({
        filter: { _id, tenant_id, name: from },
        update: { $set: { name } },
        applied: { _id, tenant_id, name },
      });
    const made = [
      to('twice', 'free', 'first'),
      to('twice', 'free', 'second'),
      to('once', 'free', 'x'),
      to('not', 'free', 'y'),
    ];
    expect(await Promise.all(made)).toEqual([true, false, true, false]);
  });

  it.each([1, 3])('updates that take their document, %i at a time: each gets what it took', async (count) => {
    const ids = Array.from({ length: count }, (_, n) => `take ${count} ${n}`);
    await insertMissing<Owned>(
      model(),
      [...ids, `held ${count}`].map((_id) => ({
        _id,
        tenant_id,
        name: _id.startsWith('held') ? 'else' : 'free',
      })),
    );
    const updates = new TakingUpdates<Owned>(model());
    const take = (_id: string) =>
      updates.take({
        filter: { _id, tenant_id, name: 'free' },
        update: { $set: { name: 'mine' } },
        isTaken: ({ name }) => name === 'mine',
      });
    expect(await Promise.all(ids.map(take))).toEqual(ids.map((_id) => ({ _id, tenant_id, name: 'mine' })));
    expect(await take(`held ${count}`)).toBeNull();
    expect(await Promise.all([take(`held ${count}`), take('nobody')])).toEqual([null, null]);
  });

  it.each([
    ['all', ['free', 'free', 'free']],
    ['some', ['free', 'taken', 'free']],
    ['none', ['taken', 'taken']],
  ])('conditional updates: %s of them made', async (which, states) => {
    const rows = states.map((name, i) => ({ _id: `${which}${i}`, tenant_id, name }));
    await insertMissing<Owned>(model(), rows);
    const updates = new ConditionalUpdates<Owned>(model());
    const made = await Promise.all(
      rows.map(({ _id }) =>
        updates.make({
          filter: { _id, tenant_id, name: 'free' },
          update: { $set: { name: `by ${_id}` } },
          applied: { _id, tenant_id, name: `by ${_id}` },
        }),
      ),
    );
    expect(made).toEqual(states.map((state) => state === 'free'));
  });
});
