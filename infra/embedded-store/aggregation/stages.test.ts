import type { Document } from 'mongodb';
import { Decimal128 } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, openStore, type StoreFixture } from '../testing/store-fixture.js';

let store: StoreFixture;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

async function run(documents: Document[], pipeline: Document[]): Promise<Document[]> {
  const collection = await store.filled(
    ...documents.map((document, _id) => ({ _id: _id as never, ...document })),
  );
  return collection.aggregate(pipeline).toArray();
}

const calls: Document[] = [
  { tenant: 'a', s: 10, tags: ['x', 'y'] },
  { tenant: 'b', s: 20, tags: [] },
  { tenant: 'a', s: 30, tags: ['x'] },
  { tenant: 'a' },
];

describe('stages', () => {
  test.each<[string, Document[], Document[]]>([
    [
      '$match, $sort, $skip, $limit',
      [
        { $match: { tenant: 'a' } },
        { $sort: { s: -1 } },
        { $skip: 1 },
        { $limit: 1 },
        { $project: { s: 1 } },
      ],
      [{ _id: 0, s: 10 }],
    ],
    [
      '$match with $expr',
      [{ $match: { $expr: { $gt: ['$s', 15] } } }, { $project: { _id: 1 } }],
      [{ _id: 1 }, { _id: 2 }],
    ],
    ['$count', [{ $match: { tenant: 'a' } }, { $count: 'n' }], [{ n: 3 }]],
    ['$count of nothing gives nothing', [{ $match: { tenant: 'z' } }, { $count: 'n' }], []],
    [
      '$group with accumulators',
      [
        {
          $group: {
            _id: '$tenant',
            n: { $sum: 1 },
            c: { $count: {} },
            total: { $sum: '$s' },
            mean: { $avg: '$s' },
            low: { $min: '$s' },
            high: { $max: '$s' },
            first: { $first: '$s' },
            last: { $last: '$s' },
            all: { $push: '$s' },
          },
        },
        { $sort: { _id: 1 } },
      ],
      [
        {
          _id: 'a',
          n: 3,
          c: 3,
          total: 40,
          mean: 20,
          low: 10,
          high: 30,
          first: 10,
          last: null,
          all: [10, 30],
        },
        { _id: 'b', n: 1, c: 1, total: 20, mean: 20, low: 20, high: 20, first: 20, last: 20, all: [20] },
      ],
    ],
    [
      '$group by nothing',
      [
        { $group: { _id: null, d: { $stdDevPop: '$s' }, set: { $addToSet: '$tenant' } } },
        { $project: { _id: 0, d: { $round: ['$d', 3] }, n: { $size: '$set' } } },
      ],
      [{ d: 8.165, n: 2 }],
    ],
    [
      '$group by a document; missing and null are apart in it',
      [
        { $group: { _id: { t: '$tenant', s: { $gt: ['$s', 15] } }, n: { $sum: 1 } } },
        { $sort: { '_id.t': 1, '_id.s': 1 } },
      ],
      [
        { _id: { t: 'a', s: false }, n: 2 },
        { _id: { t: 'a', s: true }, n: 1 },
        { _id: { t: 'b', s: true }, n: 1 },
      ],
    ],
    [
      '$unwind drops empty and missing',
      [{ $unwind: '$tags' }, { $project: { tags: 1 } }],
      [
        { _id: 0, tags: 'x' },
        { _id: 0, tags: 'y' },
        { _id: 2, tags: 'x' },
      ],
    ],
    [
      '$unwind can keep them and number the rest',
      [
        { $match: { _id: { $in: [1, 2] } } },
        { $unwind: { path: '$tags', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' } },
        { $project: { tags: 1, i: 1 } },
      ],
      [
        { _id: 1, i: null },
        { _id: 2, tags: 'x', i: 0 },
      ],
    ],
    [
      '$addFields computes, also into subdocuments',
      [{ $match: { _id: 0 } }, { $addFields: { 'a.b': '$s', s: 1 } }],
      [{ _id: 0, tenant: 'a', s: 1, tags: ['x', 'y'], a: { b: 10 } }],
    ],
    [
      '$set and $unset',
      [{ $match: { _id: 0 } }, { $set: { x: { $size: '$tags' } } }, { $unset: ['tags', 's'] }],
      [{ _id: 0, tenant: 'a', x: 2 }],
    ],
    [
      '$project excludes',
      [{ $match: { _id: 1 } }, { $project: { tags: 0, _id: 0 } }],
      [{ tenant: 'b', s: 20 }],
    ],
    ['$replaceRoot', [{ $match: { _id: 0 } }, { $replaceRoot: { newRoot: { t: '$tenant' } } }], [{ t: 'a' }]],
    [
      '$sortByCount',
      [{ $sortByCount: '$tenant' }],
      [
        { _id: 'a', count: 3 },
        { _id: 'b', count: 1 },
      ],
    ],
    [
      '$bucket',
      [{ $bucket: { groupBy: '$s', boundaries: [0, 20, 40], default: 'none', output: { n: { $sum: 1 } } } }],
      [
        { _id: 0, n: 1 },
        { _id: 20, n: 2 },
        { _id: 'none', n: 1 },
      ],
    ],
    [
      '$facet',
      [
        {
          $facet: {
            n: [{ $count: 'c' }],
            top: [{ $sort: { s: -1 } }, { $limit: 1 }, { $project: { _id: 1 } }],
          },
        },
      ],
      [{ n: [{ c: 4 }], top: [{ _id: 2 }] }],
    ],
  ])('%s', async (_name, pipeline, expected) => {
    expect(await run(calls, pipeline)).toEqual(expected);
  });

  test('$sum of doubles does not gather rounding errors, decimals stay exact', async () => {
    const tenths = Array.from({ length: 10 }, () => ({ d: 0.1, m: Decimal128.fromString('0.1') }));
    const [result] = await run(tenths, [{ $group: { _id: null, d: { $sum: '$d' }, m: { $sum: '$m' } } }]);
    expect(result?.d).toBe(1);
    expect(String(result?.m)).toBe('1.0');
  });
});

describe('$lookup', () => {
  test('joins by equality of fields, arrays by their elements, missing with null', async () => {
    const agents = await store.filled(
      { _id: 1 as never, code: 'x' },
      { _id: 2 as never, code: 'y' },
      { _id: 3 as never },
    );
    const join = {
      $lookup: { from: agents.collectionName, localField: 'tags', foreignField: 'code', as: 'found' },
    };
    const result = await run(
      [{ tags: ['x', 'y'] }, { tags: 'y' }, {}],
      [join, { $project: { ids: '$found._id' } }],
    );
    expect(result).toEqual([
      { _id: 0, ids: [1, 2] },
      { _id: 1, ids: [2] },
      { _id: 2, ids: [3] },
    ]);
  });
  test('runs a pipeline with variables of each document', async () => {
    const agents = await store.filled({ min: 5, n: 'five' }, { min: 15, n: 'fifteen' });
    const join = {
      $lookup: {
        from: agents.collectionName,
        let: { s: '$s' },
        pipeline: [{ $match: { $expr: { $lte: ['$min', '$$s'] } } }, { $project: { _id: 0, n: 1 } }],
        as: 'fits',
      },
    };
    expect(await run([{ s: 10 }, { s: 20 }], [join])).toEqual([
      { _id: 0, s: 10, fits: [{ n: 'five' }] },
      { _id: 1, s: 20, fits: [{ n: 'five' }, { n: 'fifteen' }] },
    ]);
  });
});

describe('what is wrong or unknown is refused by name', () => {
  test.each<[Document, number, RegExp]>([
    [{ $foo: 1 }, 40324, /Unrecognized pipeline stage name: '\$foo'/],
    [{ $out: 'x' }, 40324, /\$out is not supported/],
    [{ $changeStream: {} }, 40324, /\$changeStream is not supported/],
    [{ $unionWith: 'x' }, 40324, /\$unionWith is not supported/],
    [{ $group: { n: { $sum: 1 } } }, 15955, /must include an _id/],
    [{ $group: { _id: null, n: { $foo: 1 } } }, 15952, /unknown group operator '\$foo'/],
    [{ $group: { _id: null, n: { $median: {} } } }, 15952, /\$median is not supported/],
    [{ $bucket: { groupBy: '$a', boundaries: 5 } }, 40200, /must be an array, but found type: int/],
    [{ $bucket: { groupBy: '$a', boundaries: [1] } }, 40192, /at least 2 values, but found 1/],
    [{ $bucket: { groupBy: '$a', boundaries: [0, '$a'] } }, 40191, /array of constant values/],
    [{ $bucket: { groupBy: '$a', boundaries: [0, 'x'] } }, 40193, /conflicting types int and string/],
    [{ $bucket: { groupBy: '$a', boundaries: [0, 5, 5] } }, 40194, /elements 1 and 2 are not in ascending/],
    [{ $bucket: { groupBy: '$a', boundaries: [0, 5], default: 3 } }, 40199, /less than the lowest boundary/],
    [{ $bucket: { groupBy: '$a', boundaries: [0, 5], default: '$a' } }, 40195, /constant expression/],
    [{ $bucket: { groupBy: 'a', boundaries: [0, 5] } }, 40202, /\$-prefixed path or an expression/],
    [{ $bucket: { groupBy: '$a', boundaries: [5, 9] } }, 40066, /no default was specified/],
    [{ $limit: 0 }, 15958, /must be positive/],
    [{ $project: { a: 1, b: 0 } }, 31254, /exclusion on field b in inclusion/],
    [{ $unwind: 'a' }, 28818, /prefixed with a '\$'/],
    [{ $sort: { a: 2 } }, 15975, /must be 1/],
    [{ $match: 1 }, 15959, /match filter/],
  ])('%j', async (stage, code, message) => {
    const error = await errorOf(run([{ a: 1 }], [stage]));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});
