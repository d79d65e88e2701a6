import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, type StoreFixture } from '../testing/store-fixture.js';
import { type UpdateOptions, Updates } from '../testing/updates.js';

let store: StoreFixture;
let updates: Updates;
beforeAll(async () => {
  store = await openStore();
  updates = new Updates(store);
});
afterAll(() => store.close());

describe('array operators', () => {
  const graded = {
    g: [
      { n: 1, ok: false },
      { n: 5, ok: false },
      { n: 9, ok: false },
    ],
  };
  test.each<[string, Document, Document, Document, UpdateOptions?]>([
    ['$push', { a: [1] }, { $push: { a: 2, b: 3 } }, { a: [1, 2], b: [3] }],
    ['$push of an array is one element', { a: [] }, { $push: { a: [1, 2] } }, { a: [[1, 2]] }],
    ['$push $each', { a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
    [
      '$push $position',
      { a: [1, 4] },
      { $push: { a: { $each: [2, 3], $position: 1 } } },
      { a: [1, 2, 3, 4] },
    ],
    [
      '$push $position from the end',
      { a: [1, 2] },
      { $push: { a: { $each: [9], $position: -1 } } },
      { a: [1, 9, 2] },
    ],
    [
      '$push $slice keeps the last',
      { a: [1, 2] },
      { $push: { a: { $each: [3], $slice: -2 } } },
      { a: [2, 3] },
    ],
    [
      '$push $sort and $slice',
      { a: [{ s: 2 }, { s: 9 }] },
      { $push: { a: { $each: [{ s: 5 }], $sort: { s: -1 }, $slice: 2 } } },
      { a: [{ s: 9 }, { s: 5 }] },
    ],
    ['$push $sort of values', { a: [3, 1] }, { $push: { a: { $each: [2], $sort: 1 } } }, { a: [1, 2, 3] }],
    [
      '$addToSet',
      { a: [1, { x: 1 }] },
      { $addToSet: { a: { $each: [1, 2, { x: 1 }] } } },
      { a: [1, { x: 1 }, 2] },
    ],
    ['$pull of a value', { a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
    ['$pull by condition', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
    [
      '$pull of documents by some fields',
      { a: [{ x: 1, y: 1 }, { x: 2 }] },
      { $pull: { a: { x: 1 } } },
      { a: [{ x: 2 }] },
    ],
    ['$pull $in', { a: ['x', 'y', 'z'] }, { $pull: { a: { $in: ['x', 'z'] } } }, { a: ['y'] }],
    ['$pullAll', { a: [1, 2, 3] }, { $pullAll: { a: [1, 3] } }, { a: [2] }],
    ['$pop last', { a: [1, 2] }, { $pop: { a: 1 } }, { a: [1] }],
    ['$pop first', { a: [1, 2] }, { $pop: { a: -1 } }, { a: [2] }],
    [
      'positional $',
      graded,
      { $set: { 'g.$.ok': true } },
      {
        g: [
          { n: 1, ok: false },
          { n: 5, ok: true },
          { n: 9, ok: false },
        ],
      },
      { filter: { 'g.n': 5 } },
    ],
    [
      'positional $ under $and',
      graded,
      { $set: { 'g.$.ok': true } },
      {
        g: [
          { n: 1, ok: false },
          { n: 5, ok: false },
          { n: 9, ok: true },
        ],
      },
      { filter: { $and: [{ _id: 1 }, { 'g.n': 9 }] } },
    ],
    [
      'positional $ with $elemMatch',
      graded,
      { $inc: { 'g.$.n': 1 } },
      {
        g: [
          { n: 1, ok: false },
          { n: 6, ok: false },
          { n: 9, ok: false },
        ],
      },
      { filter: { g: { $elemMatch: { n: { $gt: 1, $lt: 9 } } } } },
    ],
    ['$[]', { a: [1, 2] }, { $inc: { 'a.$[]': 10 } }, { a: [11, 12] }],
    [
      '$[name] with a filter',
      graded,
      { $set: { 'g.$[e].ok': true } },
      {
        g: [
          { n: 1, ok: false },
          { n: 5, ok: true },
          { n: 9, ok: true },
        ],
      },
      { arrayFilters: [{ 'e.n': { $gte: 5 } }] },
    ],
    [
      '$[name] on values',
      { a: [1, 5] },
      { $set: { 'a.$[e]': 0 } },
      { a: [1, 0] },
      { arrayFilters: [{ e: { $gt: 2 } }] },
    ],
  ])('%s', async (_name, before, update, after, options) => {
    expect(await updates.updated(before, update, options)).toEqual(after);
  });

  test.each<[string, Document, Document, number, RegExp, UpdateOptions?]>([
    ['$push onto a scalar', { a: 1 }, { $push: { a: 1 } }, 2, /must be an array but is of type int/],
    ['$pull from a scalar', { a: 1 }, { $pull: { a: 1 } }, 2, /non-array/],
    ['$pop of a scalar', { a: 1 }, { $pop: { a: 1 } }, 14, /non-array type 'int'/],
    ['$pop by two', { a: [] }, { $pop: { a: 2 } }, 9, /expects 1 or -1/],
    [
      '$ without an array in the filter',
      { a: [1] },
      { $set: { 'a.$': 1 } },
      2,
      /positional operator did not find the match/,
    ],
    ['$[] on a scalar', { a: 1 }, { $set: { 'a.$[]': 1 } }, 2, /non-array element/],
    ['$[] on a missing field', {}, { $set: { 'a.$[]': 1 } }, 2, /must exist/],
    [
      'a name without a filter',
      { a: [1] },
      { $set: { 'a.$[e]': 1 } },
      2,
      /No array filter found for identifier 'e'/,
    ],
    [
      'a filter that is not used',
      { a: [1] },
      { $set: { a: 1 } },
      9,
      /was not used/,
      { arrayFilters: [{ e: 1 }] },
    ],
    [
      'an unknown clause of $push',
      { a: [] },
      { $push: { a: { $each: [], $foo: 1 } } },
      2,
      /Unrecognized clause in \$push: \$foo/,
    ],
  ])('%s is refused', async (_name, before, update, code, message, options) => {
    const error = await updates.refused(before, update, options);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});
