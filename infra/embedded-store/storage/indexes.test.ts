import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import type { Collection, Document, FindCursor } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { errorOf, openStore, type StoreFixture } from '../testing/store-fixture.js';

let store: StoreFixture;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

interface Read {
  readonly stage: string;
  readonly keys: number;
  readonly docs: number;
  readonly returned: number;
}

/** What running a query reads. */
async function reads(cursor: FindCursor): Promise<Read> {
  const { queryPlanner, executionStats } = (await cursor.explain('executionStats')) as Document;
  const plan = queryPlanner.winningPlan;
  return {
    stage: plan.stage === 'FETCH' ? plan.inputStage.stage : plan.stage,
    keys: executionStats.totalKeysExamined,
    docs: executionStats.totalDocsExamined,
    returned: executionStats.nReturned,
  };
}

async function thousand(): Promise<Collection> {
  const documents = Array.from({ length: 1000 }, (_, n) => ({
    n,
    tenant: `t${n % 10}`,
    at: new Date(n * 1000),
    tags: [n, n + 1],
    pair: { x: n % 7, y: n },
  }));
  return store.filled(...documents);
}

describe('queries on declared indexes do not scan', () => {
  let calls: Collection;
  beforeAll(async () => {
    calls = await thousand();
    await calls.createIndex({ tenant: 1, at: -1 });
    await calls.createIndex({ n: 1 });
    await calls.createIndex({ tags: 1 });
  });

  test('equality reads one document', async () => {
    expect(await reads(calls.find({ n: 500 }))).toEqual({ stage: 'IXSCAN', keys: 1, docs: 1, returned: 1 });
  });
  test('by _id', async () => {
    const one = await calls.findOne({ n: 3 });
    expect(await reads(calls.find({ _id: one?._id }))).toEqual({
      stage: 'IXSCAN',
      keys: 1,
      docs: 1,
      returned: 1,
    });
  });
  test('a range reads what lies in it', async () => {
    expect(await reads(calls.find({ n: { $gte: 10, $lt: 20 } }))).toEqual({
      stage: 'IXSCAN',
      keys: 10,
      docs: 10,
      returned: 10,
    });
  });
  test('$in reads its points', async () => {
    expect(await reads(calls.find({ n: { $in: [1, 5, 5, 9] } }))).toEqual({
      stage: 'IXSCAN',
      keys: 3,
      docs: 3,
      returned: 3,
    });
  });
  test('$in of more values than documents reads those that are there', async () => {
    const values = Array.from({ length: 2000 }, (_, at) => at * 2);
    const once = { stage: 'IXSCAN', keys: 500, docs: 500, returned: 500 };
    expect(await reads(calls.find({ n: { $in: values } }))).toEqual(once);
    const dates = values.map((n) => new Date(n * 1000));
    expect(await reads(calls.find({ tenant: 't2', at: { $in: dates } }))).toEqual({
      stage: 'IXSCAN',
      keys: 100,
      docs: 100,
      returned: 100,
    });
    const ids = await calls.find({}, { projection: { _id: 1 } }).toArray();
    const byId = { _id: { $in: ids.slice(0, 513).map(({ _id }) => _id) } };
    expect(await reads(calls.find(byId))).toEqual({ stage: 'IXSCAN', keys: 513, docs: 513, returned: 513 });
    expect((await calls.find(byId).sort({ n: -1 }).limit(2).toArray()).map(({ n }) => n)).toEqual([512, 511]);
  });
  test('a prefix of a compound index, then a range', async () => {
    const query = calls.find({ tenant: 't3', at: { $gte: new Date(900_000) } });
    expect(await reads(query)).toEqual({ stage: 'IXSCAN', keys: 10, docs: 10, returned: 10 });
  });
  test('sort on an index with a limit reads no more than the limit', async () => {
    const read = await reads(calls.find({ tenant: 't3' }).sort({ at: -1 }).limit(5));
    expect(read).toMatchObject({ stage: 'IXSCAN', docs: 5, returned: 5 });
    expect(await reads(calls.find({ tenant: 't3' }).sort({ at: 1 }).limit(5))).toMatchObject({
      stage: 'IXSCAN',
      docs: 5,
    });
    expect(await reads(calls.find().sort({ n: -1 }).limit(3))).toMatchObject({ stage: 'IXSCAN', docs: 3 });
  });
  test('both directions give the same order as sorting does', async () => {
    const byIndex = await calls
      .find({ tenant: 't3' })
      .sort({ at: 1 })
      .map(({ n }) => n)
      .toArray();
    expect(byIndex).toEqual(byIndex.toSorted((a, b) => a - b));
  });
  test('an element of an array', async () => {
    expect(await reads(calls.find({ tags: 500 }))).toEqual({
      stage: 'IXSCAN',
      keys: 2,
      docs: 2,
      returned: 2,
    });
  });
  test('$or whose branches are all indexed', async () => {
    expect(await reads(calls.find({ $or: [{ n: 1 }, { tags: 700 }] }))).toMatchObject({
      stage: 'OR',
      docs: 3,
      returned: 3,
    });
  });
  test('a leading $match of an aggregation, an update and a delete use it too', async () => {
    const other = await thousand();
    await other.createIndex({ n: 1 });
    expect(await other.aggregate([{ $match: { n: 7 } }, { $count: 'c' }]).toArray()).toEqual([{ c: 1 }]);
    expect((await other.updateMany({ n: { $lt: 5 } }, { $set: { hit: true } })).modifiedCount).toBe(5);
    expect((await other.deleteMany({ n: { $gte: 990 } })).deletedCount).toBe(10);
  });
  test('without an index the collection is scanned, and explain says so', async () => {
    expect(await reads(calls.find({ 'pair.y': 5 }))).toEqual({
      stage: 'COLLSCAN',
      keys: 0,
      docs: 1000,
      returned: 1,
    });
  });
});

describe('several values of a leading field and a sort by those after it', () => {
  let calls: Collection;
  beforeAll(async () => {
    calls = await thousand();
    await calls.createIndex({ tenant: 1, at: -1, n: -1 });
  });
  const tenants = { tenant: { $in: ['t7', 't1', 't3', 't1'] } };
  const numbers = (cursor: FindCursor) => cursor.map(({ n }) => n as number).toArray();

  test('are read side by side: a page reads a page, in either direction', async () => {
    const page = (turn: 1 | -1) => calls.find(tenants).sort({ at: turn, n: turn }).limit(5);
    expect(await numbers(page(-1))).toEqual([997, 993, 991, 987, 983]);
    expect(await numbers(page(1))).toEqual([1, 3, 7, 11, 13]);
    expect(await reads(page(-1))).toEqual({ stage: 'SORT_MERGE', keys: 5, docs: 5, returned: 5 });
  });
  test('go on from a place in the order', async () => {
    const from = { at: { $lte: new Date(983_000) } };
    const next = calls
      .find({ ...tenants, ...from, $or: [{ at: { $lt: new Date(983_000) } }, { n: { $lt: 983 } }] })
      .sort({ at: -1, n: -1 })
      .limit(3);
    expect(await numbers(next)).toEqual([981, 977, 973]);
    expect(await reads(next)).toMatchObject({ stage: 'SORT_MERGE', docs: 4, returned: 3 });
  });
  test('go by the index that a hint names, where it holds all matches', async () => {
    const few = await thousand();
    await few.createIndex({ tenant: 1, at: -1 });
    await few.createIndex({ n: 1 }, { partialFilterExpression: { n: { $lt: 5 } } });
    const asked = { tenant: 't3', n: { $lt: 5 } };
    expect(await reads(few.find(asked))).toMatchObject({ docs: 100, returned: 1 });
    expect(await reads(few.find(asked).hint({ n: 1 }))).toMatchObject({ docs: 5, returned: 1 });
    expect(await few.countDocuments(asked, { hint: { n: 1 } })).toBe(1);
    expect(await reads(few.find({ tenant: 't3' }).hint({ n: 1 }))).toMatchObject({
      docs: 100,
      returned: 100,
    });
  });
  test('are sorted afterwards where the index has another order', async () => {
    const other = calls.find(tenants).sort({ at: -1, n: 1 }).limit(2);
    expect(await numbers(other)).toEqual([997, 993]);
    expect(await reads(other)).toMatchObject({ stage: 'SORT', docs: 300 });
  });
});

describe('explain of other commands says what finding their documents reads', () => {
  let calls: Collection;
  beforeAll(async () => {
    calls = await thousand();
    await calls.createIndex({ n: 1 });
  });
  const few = { n: { $lt: 5 } };
  test.each<[string, (name: string) => Document, Document]>([
    ['COUNT_SCAN', (count) => ({ count, query: few }), { totalKeysExamined: 5, totalDocsExamined: 0 }],
    ['IXSCAN', (distinct) => ({ distinct, key: 'n', query: few }), { nReturned: 5, totalDocsExamined: 5 }],
    [
      'IXSCAN',
      (aggregate) => ({ aggregate, pipeline: [{ $match: few }, { $group: { _id: '$tenant' } }], cursor: {} }),
      { nReturned: 5, totalDocsExamined: 5 },
    ],
    [
      'IXSCAN',
      (update) => ({ update, updates: [{ q: few, u: { $set: { hit: true } }, multi: true }] }),
      { totalDocsExamined: 5 },
    ],
    ['IXSCAN', (name) => ({ delete: name, deletes: [{ q: few, limit: 1 }] }), { totalDocsExamined: 1 }],
    [
      'COLLSCAN',
      (findAndModify) => ({ findAndModify, query: { hit: true }, update: { $set: { hit: false } } }),
      { nReturned: 0, totalDocsExamined: 1000 },
    ],
  ])('%s %#', async (stage, command, stats) => {
    const explained = await calls.db.command({
      explain: command(calls.collectionName),
      verbosity: 'executionStats',
    });
    expect(JSON.stringify(explained.queryPlanner.winningPlan)).toContain(`"${stage}"`);
    expect(explained.executionStats).toMatchObject(stats);
    expect(await calls.countDocuments({})).toBe(1000);
    expect(await calls.countDocuments({ hit: { $exists: true } })).toBe(0);
  });
});

describe('arrays under a compound index', () => {
  test('two fields of one array may be met by different elements', async () => {
    const collection = await store.filled(
      {
        a: [
          { b: 1, c: 2 },
          { b: 3, c: 4 },
        ],
      },
      { a: { b: 1, c: 4 } },
    );
    await collection.createIndex({ 'a.b': 1, 'a.c': 1 });
    expect(await collection.countDocuments({ 'a.b': 1, 'a.c': 4 })).toBe(2);
  });
  test('two arrays in one index are refused', async () => {
    const collection = await store.filled();
    await collection.createIndex({ a: 1, b: 1 });
    expect((await errorOf(collection.insertOne({ a: [1], b: [2] }))).code).toBe(171);
  });
});

describe('unique indexes', () => {
  test('a duplicate is refused with its key', async () => {
    const collection = await store.filled({ a: 1, b: 'x' });
    await collection.createIndex({ a: 1, b: 1 }, { unique: true });
    const error = await errorOf(collection.insertOne({ a: 1, b: 'x' }));
    expect(error).toMatchObject({ code: 11000, keyPattern: { a: 1, b: 1 }, keyValue: { a: 1, b: 'x' } });
    expect(error.message).toContain('E11000 duplicate key error');
    await collection.insertOne({ a: 1, b: 'y' });
    expect((await errorOf(collection.updateOne({ b: 'y' }, { $set: { b: 'x' } }))).code).toBe(11000);
    expect(await collection.countDocuments({ b: 'y' })).toBe(1);
  });
  test('numbers of different types are the same key', async () => {
    const collection = await store.filled({ a: 1 });
    await collection.createIndex({ a: 1 }, { unique: true });
    expect((await errorOf(collection.insertOne({ a: 1.0 }))).code).toBe(11000);
  });
  test('missing counts as null, once', async () => {
    const collection = await store.filled({ b: 1 });
    await collection.createIndex({ a: 1 }, { unique: true });
    expect((await errorOf(collection.insertOne({ a: null }))).code).toBe(11000);
  });
  test.each<[string, unknown, number[]]>([
    ['a number of another type', 1.0, [1]],
    ['several values of several types', { $in: [1, 'x', 5, 1] }, [1, 2]],
    ['null, which a missing field is too', null, [3]],
    ['a date', new Date(7), [4]],
    ['a document, whose fields have an order', { b: 1, c: 2 }, [5]],
    ['a value and a range that leaves it out', { $eq: 1, $gt: 1 }, []],
    ['a value that is not there', 2, []],
  ])('a whole key finds what has it: %s', async (_name, value, ids) => {
    const collection = await store.filled(
      { _id: 1 as never, a: 1 },
      { _id: 2 as never, a: 'x' },
      { _id: 3 as never },
      { _id: 4 as never, a: new Date(7) },
      { _id: 5 as never, a: { b: 1, c: 2 } },
    );
    await collection.createIndex({ a: 1 }, { unique: true });
    const found = await collection.find({ a: value } as never, { sort: { _id: 1 } }).toArray();
    expect(found.map(({ _id }) => _id)).toEqual(ids);
    expect(await collection.find({ a: value, b: { $exists: true } } as never).toArray()).toEqual([]);
  });
  test('sparse: missing does not count', async () => {
    const collection = await store.filled({ b: 1 });
    await collection.createIndex({ a: 1 }, { unique: true, sparse: true });
    await collection.insertOne({ b: 2 });
    await collection.insertOne({ a: 1 });
    expect(await collection.find({ a: null }).toArray()).toHaveLength(2);
    expect(await collection.find().sort({ a: 1 }).toArray()).toHaveLength(3);
    expect(await reads(collection.find({ a: 1 }))).toMatchObject({ stage: 'IXSCAN', docs: 1 });
  });
  test('partial: only the documents of its filter', async () => {
    const collection = await store.filled({ a: 1, live: false });
    await collection.createIndex({ a: 1 }, { unique: true, partialFilterExpression: { live: true } });
    await collection.insertMany([
      { a: 1, live: false },
      { a: 1, live: true },
    ]);
    expect((await errorOf(collection.insertOne({ a: 1, live: true }))).code).toBe(11000);
    expect((await errorOf(collection.updateMany({ live: false }, { $set: { live: true } }))).code).toBe(
      11000,
    );
    expect(await reads(collection.find({ a: 1, live: true }))).toMatchObject({ stage: 'IXSCAN', docs: 1 });
    expect(await reads(collection.find({ a: 1 }))).toMatchObject({ stage: 'COLLSCAN', returned: 3 });
  });
  test('an index over existing duplicates is refused and leaves nothing', async () => {
    const collection = await store.filled({ a: 1 }, { a: 1 });
    expect((await errorOf(collection.createIndex({ a: 1 }, { unique: true }))).code).toBe(11000);
    expect(await collection.indexes()).toHaveLength(1);
    await collection.createIndex({ a: 1 });
    expect(await collection.countDocuments({ a: 1 })).toBe(2);
  });
});

describe('an update of some fields', () => {
  test.each<[string, Document, string, Document, number]>([
    ['of a date', { at: new Date(1) }, 'at', { $set: { at: new Date(2) } }, 0],
    ['of a nested field', { a: { b: 1, c: 1 } }, 'a.b', { $set: { 'a.b': 2 } }, 0],
    ['beside a nested field', { a: { b: 1, c: 1 } }, 'a.b', { $set: { 'a.c': 2 } }, 1],
    ['of an array', { a: [1, 2] }, 'a', { $push: { a: 3 } }, 1],
    ['that removes one', { a: 1 }, 'a', { $unset: { a: 1 } }, 0],
    ['that renames one', { a: 1 }, 'a', { $rename: { a: 'b' } }, 0],
    ['that changes its type alone', { a: 1 }, 'a', { $set: { a: 1.0 } }, 1],
    ['of another field', { a: 1, b: 1 }, 'a', { $set: { b: 2 } }, 1],
  ])('%s keeps the index in step', async (_name, before, field, update, found) => {
    const collection = await store.filled(before);
    await collection.createIndex({ [field]: 1 });
    const indexed = field.split('.').reduce<unknown>((value, part) => (value as Document)[part], before);
    const sought = Array.isArray(indexed) ? indexed[0] : indexed;
    await collection.updateOne({}, update);
    expect(await reads(collection.find({ [field]: sought }))).toMatchObject({ docs: found, returned: found });
    const after = (await collection.findOne({})) as Document;
    const now = field.split('.').reduce<unknown>((value, part) => (value as Document)?.[part], after) ?? null;
    const soughtNow = Array.isArray(now) ? now.at(-1) : now;
    expect(await reads(collection.find({ [field]: soughtNow }))).toMatchObject({ docs: 1, returned: 1 });
  });
});

describe('declaring indexes', () => {
  test('the same again is no error; the same name or key otherwise is', async () => {
    const collection = await store.filled({ a: 1 });
    expect(await collection.createIndex({ a: 1 })).toBe('a_1');
    expect(await collection.createIndex({ a: 1 })).toBe('a_1');
    expect((await errorOf(collection.createIndex({ a: 1 }, { name: 'other' }))).code).toBe(85);
    expect((await errorOf(collection.createIndex({ b: 1 }, { name: 'a_1' }))).code).toBe(86);
    expect((await errorOf(collection.createIndex({ a: 1 }, { unique: true }))).code).toBe(85);
  });
  test('list and drop', async () => {
    const collection = await store.filled({ a: 1 });
    await collection.createIndex({ a: -1, b: 1 });
    expect((await collection.indexes()).map(({ name, key }) => [name, key])).toEqual([
      ['_id_', { _id: 1 }],
      ['a_-1_b_1', { a: -1, b: 1 }],
    ]);
    await collection.dropIndex('a_-1_b_1');
    expect(await collection.indexes()).toHaveLength(1);
    expect((await errorOf(collection.dropIndex('nope'))).code).toBe(27);
    expect((await errorOf(collection.dropIndex('_id_'))).code).toBe(72);
  });
  test.each<[string, Document, Document, number]>([
    ['text', { a: 'text' }, {}, 67],
    ['2dsphere', { a: '2dsphere' }, {}, 67],
    ['hashed', { a: 'hashed' }, {}, 67],
    ['wildcard', { '$**': 1 }, {}, 67],
    ['zero', { a: 0 }, {}, 67],
    ['a collation', { a: 1 }, { collation: { locale: 'de' } }, 197],
  ])('%s is refused', async (_name, key, options, code) => {
    expect((await errorOf((await store.filled({ a: 1 })).createIndex(key as never, options))).code).toBe(
      code,
    );
  });
});

describe('TTL', () => {
  test('documents whose date is old enough go at the next sweep, others stay', async () => {
    const clock = new ScriptedClock(Date.UTC(2026, 0, 1));
    const timed = await openStore(clock);
    try {
      const now = clock.now();
      const collection = await timed.filled(
        { n: 'old', at: new Date(now) },
        { n: 'new', at: new Date(now + 3_600_000) },
        { n: 'earliest', at: [new Date(now + 3_600_000), new Date(now)] },
        { n: 'none' },
        { n: 'text', at: 'x' },
      );
      await collection.createIndex({ at: 1 }, { expireAfterSeconds: 100 });
      clock.advance(60_000);
      expect(await collection.countDocuments()).toBe(5);
      clock.advance(60_000);
      expect((await collection.find().toArray()).map(({ n }) => n)).toEqual(['new', 'none', 'text']);
    } finally {
      await timed.close();
    }
  });

  describe('of a backlog', () => {
    let clock: ScriptedClock;
    let timed: StoreFixture;
    let collection: Collection;
    beforeEach(async () => {
      clock = new ScriptedClock(Date.UTC(2026, 0, 1));
      timed = await openStore(clock);
      const at = (ms: number) => new Date(clock.now() + ms);
      collection = await timed.filled(
        ...Array.from({ length: 2000 }, (_, n) => ({ n, at: n % 2 ? at(-n) : [at(-n), at(-n - 1)] })),
        { n: 'new', at: at(3_600_000) },
      );
      await collection.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
    });
    afterEach(() => timed.close());

    test('removes some at a time, the oldest first, and answers commands in between', async () => {
      clock.jump(60_000);
      const left = await collection.countDocuments();
      expect(left).toBeLessThan(2001);
      expect(left).toBeGreaterThan(1000);
      expect(await collection.countDocuments({ n: { $lt: left - 1 } })).toBe(left - 1);
      await collection.insertOne({ n: 'between' });
      clock.jump(0);
      expect(await collection.countDocuments()).toBeLessThan(left);
      clock.advance(0);
      expect((await collection.find().toArray()).map(({ n }) => n)).toEqual(['new', 'between']);
    });
    test('comes back at once until nothing is left, of other indexes too, then in a minute', async () => {
      const other = await timed.filled(...Array.from({ length: 1000 }, (_, n) => ({ n, at: new Date(0) })));
      await other.createIndex({ at: -1 }, { expireAfterSeconds: 0 });
      clock.jump(60_000);
      clock.advance(0);
      expect([await collection.countDocuments(), await other.countDocuments()]).toEqual([1, 0]);
      await other.insertOne({ at: new Date(0) });
      clock.advance(59_999);
      expect(await other.countDocuments()).toBe(1);
      clock.advance(1);
      expect(await other.countDocuments()).toBe(0);
    });
    test('ends when the store is closed', async () => {
      clock.jump(60_000);
      expect(clock.pending).toBe(1);
      await timed.store.close();
      expect(clock.pending).toBe(0);
    });
  });

  test('removes nothing without its monitor', async () => {
    const clock = new ScriptedClock(Date.UTC(2026, 0, 1));
    const kept = await openStore(clock, { ttlMonitor: false });
    try {
      const collection = await kept.filled({ at: new Date(clock.now()) });
      await collection.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
      clock.advance(300_000);
      expect(await collection.countDocuments()).toBe(1);
    } finally {
      await kept.close();
    }
  });
});
