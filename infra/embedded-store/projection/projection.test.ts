import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, openStore, type StoreFixture } from '../testing/store-fixture.js';

let store: StoreFixture;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const call = {
  _id: 1 as never,
  a: 1,
  b: { c: 2, d: 3 },
  t: [{ n: 1, x: 'p' }, { n: 2, x: 'q' }, 7],
  l: [1, 2, 3, 4],
};

async function shown(projection: Document, filter: Document = {}): Promise<Document | null> {
  return (await store.filled(call)).findOne(filter, { projection });
}

describe('projection', () => {
  test.each<[string, Document, Document, Document?]>([
    ['includes with _id', { a: 1 }, { _id: 1, a: 1 }],
    ['includes without _id', { a: 1, _id: 0 }, { a: 1 }],
    ['only _id', { _id: 1 }, { _id: 1 }],
    ['excludes', { b: 0, t: 0, l: 0 }, { _id: 1, a: 1 }],
    ['includes a path', { 'b.c': 1 }, { _id: 1, b: { c: 2 } }],
    ['includes a nested document of fields', { b: { c: 1 } }, { _id: 1, b: { c: 2 } }],
    ['includes a path through an array', { 't.n': 1 }, { _id: 1, t: [{ n: 1 }, { n: 2 }] }],
    [
      'excludes a path through an array',
      { 't.n': 0, a: 0, b: 0, l: 0 },
      { _id: 1, t: [{ x: 'p' }, { x: 'q' }, 7] },
    ],
    ['includes a path under a scalar: nothing', { 'a.z': 1 }, { _id: 1 }],
    ['$slice keeps all other fields', { l: { $slice: 2 }, b: 0, t: 0 }, { _id: 1, a: 1, l: [1, 2] }],
    ['$slice from the end', { _id: 0, a: 1, l: { $slice: -1 } }, { a: 1, l: [4] }],
    ['$slice with skip', { a: 1, l: { $slice: [1, 2] } }, { _id: 1, a: 1, l: [2, 3] }],
    [
      '$elemMatch gives the first match',
      { t: { $elemMatch: { n: { $gt: 1 } } } },
      { _id: 1, t: [{ n: 2, x: 'q' }] },
    ],
    ['$elemMatch without a match leaves out', { t: { $elemMatch: { n: 9 } } }, { _id: 1 }],
    ['positional', { 't.$': 1 }, { _id: 1, t: [{ n: 2, x: 'q' }] }, { 't.n': 2 }],
    ['an expression', { s: { $add: ['$a', '$b.c'] } }, { _id: 1, s: 3 }],
    ['a field by another name', { _id: 0, z: '$b.d' }, { z: 3 }],
  ])('%s', async (_name, projection, expected, filter) => {
    expect(await shown(projection, filter)).toEqual(expected);
  });
  test.each<[string, Document, number]>([
    ['inclusion mixed with exclusion', { a: 1, b: 0 }, 31254],
    ['a path and its parent', { b: 1, 'b.c': 1 }, 31249],
    ['an empty document', { a: {} }, 51270],
    ['positional without a match', { 't.$': 1 }, 51246],
    ['$elemMatch in a nested field', { 'b.t': { $elemMatch: { n: 1 } } }, 31275],
  ])('%s is refused', async (_name, projection, code) => {
    expect((await errorOf(shown(projection))).code).toBe(code);
  });
});
