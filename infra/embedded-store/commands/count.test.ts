import { type Collection, type Document, Long } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DocumentTable } from '../storage/rows.js';
import { errorOf, openStore, type StoreFixture } from '../testing/store-fixture.js';

let store: StoreFixture;
let calls: Collection;
beforeAll(async () => {
  store = await openStore();
  calls = await store.filled(
    ...Array.from({ length: 1000 }, (_, n) => ({
      n,
      tenant: `t${n % 10}`,
      at: new Date(n),
      tags: [n, n + 1],
    })),
  );
  await calls.createIndex({ tenant: 1, at: -1 });
  await calls.createIndex({ tags: 1 });
});
afterAll(() => store.close());

/** Counts the documents that were read from the database while `work` ran. */
async function documentsRead(work: () => Promise<unknown>): Promise<number> {
  const read = vi.spyOn(DocumentTable.prototype, 'read');
  const page = vi.spyOn(DocumentTable.prototype, 'page');
  try {
    await work();
    const pages = page.mock.results.map(({ value }) => (value as unknown[]).length);
    return read.mock.calls.length + pages.reduce((sum, length) => sum + length, 0);
  } finally {
    read.mockRestore();
    page.mockRestore();
  }
}

const GROUP = { $group: { _id: 1, n: { $sum: 1 } } };
const T3 = { tenant: 't3' };

describe('counts that keys answer read no document', () => {
  test.each<[string, Document[], Document[]]>([
    ['what countDocuments sends', [{ $match: T3 }, GROUP], [{ _id: 1, n: 100 }]],
    ['with a limit', [{ $match: T3 }, { $limit: 7 }, GROUP], [{ _id: 1, n: 7 }]],
    ['with a limit beyond the matches', [{ $match: T3 }, { $limit: 700 }, GROUP], [{ _id: 1, n: 100 }]],
    ['with a skip', [{ $match: T3 }, { $skip: 95 }, GROUP], [{ _id: 1, n: 5 }]],
    ['with both', [{ $match: T3 }, { $skip: 95 }, { $limit: 3 }, GROUP], [{ _id: 1, n: 3 }]],
    ['beyond the end: no group at all', [{ $match: T3 }, { $skip: 100 }, GROUP], []],
    ['without a match: no group at all', [{ $match: { tenant: 'x' } }, GROUP], []],
    ['of everything', [{ $match: {} }, GROUP], [{ _id: 1, n: 1000 }]],
    ['without $match', [GROUP], [{ _id: 1, n: 1000 }]],
    ['$count', [{ $match: T3 }, { $count: 'total' }], [{ total: 100 }]],
    [
      'several fields and another _id',
      [{ $match: T3 }, { $group: { _id: null, a: { $sum: 1 }, b: { $count: {} } } }],
      [{ _id: null, a: 100, b: 100 }],
    ],
    [
      'stages after it',
      [{ $match: T3 }, GROUP, { $project: { _id: 0, half: { $divide: ['$n', 2] } } }],
      [{ half: 50 }],
    ],
    ['two $match', [{ $match: T3 }, { $match: { at: { $lt: new Date(13) } } }, GROUP], [{ _id: 1, n: 1 }]],
  ])('%s', async (_name, pipeline, expected) => {
    const read = await documentsRead(async () => {
      expect(await calls.aggregate(pipeline).toArray()).toEqual(expected);
    });
    expect(read).toBe(0);
  });

  test('countDocuments and the count command', async () => {
    const read = await documentsRead(async () => {
      expect(await calls.countDocuments(T3)).toBe(100);
      expect(await calls.countDocuments(T3, { limit: 7 })).toBe(7);
      expect(await calls.countDocuments({ tenant: { $in: ['t1', 't2'] }, at: { $gte: new Date(500) } })).toBe(
        100,
      );
      const command = { count: calls.collectionName, query: T3 };
      expect((await store.db.command({ ...command })).n).toBe(100);
      expect((await store.db.command({ ...command, skip: 95, limit: 7 })).n).toBe(5);
      expect((await store.db.command({ ...command, limit: Long.MAX_VALUE })).n).toBe(100);
    });
    expect(read).toBe(0);
  });
});

describe('what keys do not answer is answered by the documents, with the same result', () => {
  test.each<[string, Document[], Document[]]>([
    ['an array that has both', [{ $match: { tags: { $in: [5, 6] } } }, GROUP], [{ _id: 1, n: 3 }]],
    ['a field without index', [{ $match: { n: { $lt: 5 } } }, GROUP], [{ _id: 1, n: 5 }]],
    ['a sum of doubles', [{ $match: T3 }, { $group: { _id: 1, n: { $sum: 0.5 } } }], [{ _id: 1, n: 50 }]],
    ['a sum of twos', [{ $match: T3 }, { $group: { _id: 1, n: { $sum: 2 } } }], [{ _id: 1, n: 200 }]],
    [
      'a group for each value',
      [{ $match: T3 }, { $group: { _id: '$tenant', n: { $sum: 1 } } }],
      [{ _id: 't3', n: 100 }],
    ],
    ['a limit before a skip', [{ $match: T3 }, { $limit: 10 }, { $skip: 4 }, GROUP], [{ _id: 1, n: 6 }]],
    ['a stage in between', [{ $match: T3 }, { $unwind: '$tags' }, GROUP], [{ _id: 1, n: 200 }]],
  ])('%s', async (_name, pipeline, expected) => {
    const read = await documentsRead(async () => {
      expect(await calls.aggregate(pipeline).toArray()).toEqual(expected);
    });
    expect(read).toBeGreaterThan(0);
  });

  test('a pipeline that MongoDB refuses is still refused', async () => {
    const refused = [{ $match: T3 }, { $limit: 0 }, GROUP];
    expect((await errorOf(calls.aggregate(refused).toArray())).code).toBe(15958);
    expect((await errorOf(calls.aggregate([{ $match: T3 }, GROUP, { $nope: 1 }]).toArray())).code).toBe(
      40324,
    );
  });
  test('a collection that is not there counts none', async () => {
    expect(await store.db.collection('nowhere').countDocuments(T3)).toBe(0);
  });
});
