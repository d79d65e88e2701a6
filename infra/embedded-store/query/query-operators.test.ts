import { Decimal128, type Document, Double, Int32, Long, MaxKey, MinKey, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, openStore, type StoreFixture } from '../testing/store-fixture.js';

let store: StoreFixture;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

/** Given documents whose `_id` is their position, a filter finds exactly the positions listed. */
async function found(documents: Document[], filter: Document): Promise<number[]> {
  const collection = await store.filled(
    ...documents.map((document, _id) => ({ _id: _id as never, ...document })),
  );
  const ids = (await collection.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => Number(_id));
  const scanned = ids.join();
  for (const field of ['a', 'a.b']) {
    await collection.createIndex({ [field]: 1 }, { name: `${field}_1` }).catch(() => undefined);
    const indexed = (await collection.find(filter).toArray())
      .map(({ _id }) => Number(_id))
      .sort((x, y) => x - y);
    expect(indexed.join(), `with an index on ${field}`).toBe(scanned);
  }
  return ids;
}

const oid = new ObjectId('65a000000000000000000001');
const at = (day: number) => new Date(Date.UTC(2026, 0, day));
const values: Document[] = [
  { a: 1 },
  { a: 2.5 },
  { a: 'x' },
  { a: null },
  {},
  { a: [1, 5] },
  { a: [] },
  { a: true },
];
const nested: Document[] = [
  { a: { b: 1 } },
  { a: [{ b: 1 }, { b: 4 }] },
  { a: [] },
  { a: [1, 2] },
  { a: 7 },
  {},
  { a: [{ c: 1 }] },
];

describe('comparison operators', () => {
  test.each<[string, Document[], Document, number[]]>([
    [
      'equality of numbers ignores their type',
      [
        { a: 1 },
        { a: new Double(1) },
        { a: Long.fromNumber(1) },
        { a: Decimal128.fromString('1.0') },
        { a: '1' },
      ],
      { a: 1 },
      [0, 1, 2, 3],
    ],
    ['equality finds an element of an array', values, { a: 1 }, [0, 5]],
    [
      'equality with an array finds it whole',
      [{ a: [1, 2] }, { a: [2, 1] }, { a: [[1, 2]] }, { a: [1, 2, 3] }],
      { a: [1, 2] },
      [0, 2],
    ],
    ['null finds null and missing, not an empty array', values, { a: null }, [3, 4]],
    ['null under an array of documents', nested, { 'a.b': null }, [4, 5, 6]],
    ['a path walks through arrays', nested, { 'a.b': 4 }, [1]],
    [
      'a subdocument is equal only with its fields in order',
      [{ a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }, { a: { x: 1 } }],
      { a: { x: 1, y: 2 } },
      [0],
    ],
    ['$ne is the opposite of equality, also over arrays', values, { a: { $ne: 1 } }, [1, 2, 3, 4, 6, 7]],
    ['$gt compares within one type', values, { a: { $gt: 1 } }, [1, 5]],
    ['$gte', values, { a: { $gte: 1 } }, [0, 1, 5]],
    ['$lt', values, { a: { $lt: 2.5 } }, [0, 5]],
    ['$lte: null is equality with null', values, { a: { $lte: null } }, [3, 4]],
    ['$gt null finds nothing', values, { a: { $gt: null } }, []],
    [
      'two bounds may be met by different elements',
      [{ a: [1, 9] }, { a: [5] }, { a: 5 }, { a: [9] }],
      { a: { $gt: 4, $lt: 6 } },
      [0, 1, 2],
    ],
    [
      'longs beyond 2^53 compare exactly',
      [{ a: Long.fromString('9007199254740993') }, { a: Long.fromString('9007199254740992') }],
      { a: { $gt: Long.fromString('9007199254740992') } },
      [0],
    ],
    [
      'decimals compare exactly with doubles',
      [{ a: Decimal128.fromString('0.1') }, { a: 0.1 }],
      { a: { $gt: Decimal128.fromString('0.1') } },
      [1],
    ],
    ['NaN equals NaN and is in no range', [{ a: Number.NaN }, { a: 1 }], { a: { $lte: Number.NaN } }, [0]],
    [
      'MinKey and MaxKey bound every type',
      [{ a: 1 }, { a: 'x' }],
      { a: { $gt: new MinKey(), $lt: new MaxKey() } },
      [0, 1],
    ],
    ['dates', [{ a: at(1) }, { a: at(2) }, { a: 1 }], { a: { $gte: at(2) } }, [1]],
    ['object ids', [{ a: oid }, { a: oid.toHexString() }], { a: oid }, [0]],
    ['strings by code point', [{ a: '\u{1f600}' }, { a: '\uffee' }], { a: { $gt: '\uffee' } }, [0]],
    ['$in', values, { a: { $in: [2.5, 'x', null] } }, [1, 2, 3, 4]],
    ['$in with a regular expression', values, { a: { $in: [/^x/, 5] } }, [2, 5]],
    [
      '$in of many',
      values,
      { a: { $in: [...Array.from({ length: 40 }, (_, n) => `${n}`), 'x', 2.5] } },
      [1, 2],
    ],
    ['$in of nothing', values, { a: { $in: [] } }, []],
    ['$nin', values, { a: { $nin: [1, null] } }, [1, 2, 6, 7]],
  ])('%s', async (_name, documents, filter, expected) => {
    expect(await found(documents, filter)).toEqual(expected);
  });
});

describe('logical, element and evaluation operators', () => {
  test.each<[string, Document[], Document, number[]]>([
    ['$and', values, { $and: [{ a: { $gte: 1 } }, { a: { $lt: 2 } }] }, [0, 5]],
    ['$or', values, { $or: [{ a: 'x' }, { a: true }] }, [2, 7]],
    ['$nor', values, { $nor: [{ a: 'x' }, { a: null }] }, [0, 1, 5, 6, 7]],
    ['$not', values, { a: { $not: { $gt: 1 } } }, [0, 2, 3, 4, 6, 7]],
    ['$not with a regular expression', values, { a: { $not: /x/ } }, [0, 1, 3, 4, 5, 6, 7]],
    ['$exists: true finds null too', values, { a: { $exists: true } }, [0, 1, 2, 3, 5, 6, 7]],
    ['$exists: false', values, { a: { $exists: false } }, [4]],
    ['$exists under arrays', nested, { 'a.b': { $exists: false } }, [2, 3, 4, 5, 6]],
    ['$type by name', values, { a: { $type: 'string' } }, [2]],
    ['$type number', values, { a: { $type: 'number' } }, [0, 1, 5]],
    ['$type array', values, { a: { $type: 'array' } }, [5, 6]],
    ['$type by number', [{ a: new Int32(1) }, { a: Long.fromNumber(1) }], { a: { $type: 18 } }, [1]],
    ['$mod', [{ a: 4 }, { a: 5 }, { a: -3 }, { a: 'x' }], { a: { $mod: [3, 1] } }, [0]],
    ['$mod cuts fractions off', [{ a: 4.9 }, { a: 5 }], { a: { $mod: [3, 1] } }, [0]],
    [
      '$regex',
      [{ a: 'Anna' }, { a: 'hanna' }, { a: ['x', 'Ann'] }, { a: 1 }],
      { a: { $regex: '^ann', $options: 'i' } },
      [0, 2],
    ],
    [
      '$regex: $ also matches before a last newline',
      [{ a: 'x\n' }, { a: 'x\n\n' }],
      { a: { $regex: 'x$' } },
      [0],
    ],
    [
      '$expr',
      [
        { a: 1, b: 2 },
        { a: 3, b: 2 },
      ],
      { $expr: { $gt: ['$a', '$b'] } },
      [1],
    ],
    ['a position in a path', [{ a: [1, 2] }, { a: [2, 1] }, { a: { 0: 1 } }], { 'a.0': 1 }, [0, 2]],
    ['$bitsAllSet', [{ a: 6 }, { a: 4 }, { a: -1 }], { a: { $bitsAllSet: 6 } }, [0, 2]],
    ['$bitsAnySet by positions', [{ a: 6 }, { a: 4 }, { a: 8 }], { a: { $bitsAnySet: [1, 3] } }, [0, 2]],
    ['$bitsAllClear', [{ a: 6 }, { a: 8 }], { a: { $bitsAllClear: 6 } }, [1]],
    ['$bitsAnyClear', [{ a: 6 }, { a: 4 }], { a: { $bitsAnyClear: 6 } }, [1]],
  ])('%s', async (_name, documents, filter, expected) => {
    expect(await found(documents, filter)).toEqual(expected);
  });
});

describe('array operators', () => {
  const arrays: Document[] = [
    { a: [1, 2, 3] },
    { a: [3] },
    { a: 3 },
    { a: [] },
    {
      a: [
        { b: 1, c: 2 },
        { b: 3, c: 4 },
      ],
    },
    { a: [[1, 2], 5] },
  ];
  test.each<[string, Document, number[]]>([
    ['$all', { a: { $all: [3, 1] } }, [0]],
    ['$all of one value finds a scalar', { a: { $all: [3] } }, [0, 1, 2]],
    [
      '$all with $elemMatch',
      { a: { $all: [{ $elemMatch: { b: 1, c: 2 } }, { $elemMatch: { b: 3 } }] } },
      [4],
    ],
    ['$size', { a: { $size: 1 } }, [1]],
    ['$size of an empty array', { a: { $size: 0 } }, [3]],
    ['$elemMatch asks one element for all', { a: { $elemMatch: { b: 1, c: 4 } } }, []],
    ['without it, different elements may answer', { 'a.b': 1, 'a.c': 4 }, [4]],
    ['$elemMatch on values', { a: { $elemMatch: { $gt: 1, $lt: 3 } } }, [0]],
    ['$elemMatch does not take a scalar for an array', { a: { $elemMatch: { $eq: 3 } } }, [0, 1]],
    ['$not with $elemMatch', { a: { $not: { $elemMatch: { $gte: 3 } } } }, [2, 3, 4]],
  ])('%s', async (_name, filter, expected) => {
    expect(await found(arrays, filter)).toEqual(expected);
  });
});

describe('what is wrong or unknown is refused by name', () => {
  test.each<[string, Document, number, RegExp]>([
    ['an unknown operator', { a: { $foo: 1 } }, 2, /unknown operator: \$foo/],
    ['a reference without an id', { a: { $ref: 'x' } }, 2, /unknown operator: \$ref/],
    ['an id without its collection', { a: { $id: 1 } }, 2, /unknown operator: \$id/],
    ['a path that ends in a dot', { 'a.': { $exists: true } }, 115, /empty field name in the path 'a\.'/],
    ['a path with a part without a name', { 'a..b': 1 }, 115, /empty field name in the path 'a\.\.b'/],
    ['an unknown top-level operator', { $foo: 1 }, 2, /unknown top level operator: \$foo/],
    ['$in without an array', { a: { $in: 1 } }, 2, /\$in needs an array/],
    ['an empty $or', { $or: [] }, 2, /nonempty array/],
    ['$where', { $where: 'true' }, 115, /\$where/],
    ['$text', { $text: { $search: 'x' } }, 115, /\$text/],
    ['$jsonSchema', { $jsonSchema: {} }, 115, /\$jsonSchema/],
    ['$near', { a: { $near: [0, 0] } }, 115, /\$near/],
    ['a negative $size', { a: { $size: -1 } }, 2, /non-negative/],
    ['$mod by zero', { a: { $mod: [0, 1] } }, 2, /divisor cannot be 0/],
    ['an unknown expression', { $expr: { $foo: 1 } }, 168, /Unrecognized expression '\$foo'/],
    ['a broken pattern', { a: { $regex: '(' } }, 51091, /Regular expression is invalid/],
    ['a pattern that JavaScript reads otherwise', { a: { $regex: '\\Ax' } }, 115, /\\A/],
  ])('%s', async (_name, filter, code, message) => {
    const error = await errorOf((await store.filled({ a: 1 })).find(filter).toArray());
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe('sort', () => {
  const order = async (documents: Document[], direction: 1 | -1, index?: boolean) => {
    const collection = await store.filled(
      ...documents.map((document, _id) => ({ _id: _id as never, ...document })),
    );
    if (index) await collection.createIndex({ a: 1 });
    return (await collection.find().sort({ a: direction }).toArray()).map(({ _id }) => Number(_id));
  };
  const mixed: Document[] = [
    { a: /x/ },
    { a: at(1) },
    { a: true },
    { a: oid },
    { a: [9] },
    { a: { b: 1 } },
    { a: 's' },
    { a: 3 },
    {},
    { a: [] },
    { a: new MinKey() },
    { a: new MaxKey() },
  ];
  test.each([false, true])('types sort in BSON order (index: %s)', async (index) => {
    expect(await order(mixed, 1, index)).toEqual([10, 9, 8, 7, 4, 6, 5, 3, 2, 1, 0, 11]);
    expect(await order(mixed, -1, index)).toEqual([11, 0, 1, 2, 3, 5, 6, 4, 7, 8, 9, 10]);
  });
  test('an array counts with its lowest element ascending and its highest descending', async () => {
    const documents = [{ a: [5, 1] }, { a: 3 }, { a: [4] }];
    expect(await order(documents, 1)).toEqual([0, 1, 2]);
    expect(await order(documents, -1)).toEqual([0, 2, 1]);
  });
});
