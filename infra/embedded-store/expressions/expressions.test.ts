// biome-ignore-all lint/suspicious/noThenProperty: `then` is a field of $cond and $switch
import { Decimal128, type Document, Double, Int32, Long, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MISSING, resultOf as resultIn } from '../testing/expressions.js';
import { errorOf, openStore, type StoreFixture } from '../testing/store-fixture.js';

let store: StoreFixture;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const resultOf = (expression: unknown, document: Document = {}, types = false) =>
  resultIn(store, expression, document, types);

const at = (text: string) => new Date(text);
const dec = (text: string) => Decimal128.fromString(text);

describe('arithmetic', () => {
  test.each<[unknown, unknown]>([
    [{ $add: [1, 2.5] }, 3.5],
    [{ $add: [at('2026-01-01T00:00:00Z'), 1000] }, at('2026-01-01T00:00:01Z')],
    [{ $add: [1, null] }, null],
    [{ $add: [1, '$no'] }, null],
    [{ $subtract: [5, 7] }, -2],
    [{ $subtract: [at('2026-01-01T00:00:01Z'), at('2026-01-01T00:00:00Z')] }, 1000],
    [{ $multiply: [2, 3, 4] }, 24],
    [{ $divide: [1, 4] }, 0.25],
    [{ $mod: [-7, 3] }, -1],
    [{ $abs: -3 }, 3],
    [{ $ceil: -1.5 }, -1],
    [{ $floor: -1.5 }, -2],
    [{ $round: [19.25, 1] }, 19.2],
    [{ $round: [2.5] }, 2],
    [{ $round: [1250, -2] }, 1200],
    [{ $trunc: [-1.99, 1] }, -1.9],
    [{ $sqrt: 16 }, 4],
    [{ $pow: [2, 10] }, 1024],
    [{ $sum: [1, 'x', [2], 3] }, 4],
    [{ $avg: [[1, 2]] }, 1.5],
    [{ $max: [1, 5, 3] }, 5],
    [{ $min: [[4, 2]] }, 2],
  ])('%j is %j', async (expression, expected) => {
    expect(await resultOf(expression)).toEqual(expected);
  });
  test('types widen: int32 to int64, decimal over double', async () => {
    expect(await resultOf({ $add: [new Int32(2147483647), new Int32(1)] }, {}, true)).toEqual(
      Long.fromString('2147483648'),
    );
    expect(String(await resultOf({ $add: [dec('0.1'), dec('0.2')] }, {}, true))).toBe('0.3');
    expect(String(await resultOf({ $divide: [dec('1'), 3] }, {}, true))).toBe(
      '0.3333333333333333333333333333333333',
    );
    expect(await resultOf({ $divide: [4, 2] }, {}, true)).toEqual(new Double(2));
    expect(String(await resultOf({ $multiply: [dec('1.10'), 2] }, {}, true))).toBe('2.20');
  });
});

describe('comparison, logic and conditions', () => {
  test.each<[unknown, unknown]>([
    [{ $cmp: [1, 2] }, -1],
    [{ $eq: [1, { $toLong: 1 }] }, true],
    [{ $eq: ['$no', null] }, false],
    [{ $gt: ['a', 1] }, true],
    [{ $lt: ['$no', null] }, true],
    [{ $and: [1, 'x', []] }, true],
    [{ $and: [1, 0] }, false],
    [{ $or: [null, 0, false] }, false],
    [{ $not: ['$no'] }, true],
    [{ $cond: [{ $gt: [2, 1] }, 'yes', 'no'] }, 'yes'],
    [{ $cond: { if: false, then: 1, else: 2 } }, 2],
    [{ $ifNull: ['$no', null, 3] }, 3],
    [
      {
        $switch: {
          branches: [
            { case: false, then: 1 },
            { case: true, then: 2 },
          ],
          default: 3,
        },
      },
      2,
    ],
    [{ $switch: { branches: [{ case: false, then: 1 }], default: 3 } }, 3],
    [{ $literal: { $add: [1, 2] } }, { $add: [1, 2] }],
    ['$no', MISSING],
    [{ $cond: [true, '$$REMOVE', 1] }, MISSING],
  ])('%j is %j', async (expression, expected) => {
    expect(await resultOf(expression)).toEqual(expected);
  });
});

describe('strings', () => {
  test.each<[unknown, unknown]>([
    [{ $concat: ['a', 'b'] }, 'ab'],
    [{ $concat: ['a', null] }, null],
    [{ $toUpper: 'aé' }, 'Aé'],
    [{ $toLower: 'AB' }, 'ab'],
    [{ $strLenCP: '😀é' }, 2],
    [{ $strLenBytes: 'é' }, 2],
    [{ $substrCP: ['😀bc', 1, 1] }, 'b'],
    [{ $substrBytes: ['hello', 1, -1] }, 'ello'],
    [{ $split: ['a-b-', '-'] }, ['a', 'b', '']],
    [{ $indexOfCP: ['abcb', 'b', 2] }, 3],
    [{ $strcasecmp: ['AB', 'ab'] }, 0],
    [{ $trim: { input: ' \nx ' } }, 'x'],
    [{ $ltrim: { input: '00120', chars: '0' } }, '120'],
    [{ $replaceOne: { input: 'aa', find: 'a', replacement: { $literal: '$&' } } }, '$&a'],
    [{ $replaceAll: { input: 'aa', find: 'a', replacement: 'b' } }, 'bb'],
    [{ $regexMatch: { input: 'Hello', regex: 'hel', options: 'i' } }, true],
  ])('%j is %j', async (expression, expected) => {
    expect(await resultOf(expression)).toEqual(expected);
  });
});

describe('arrays and objects', () => {
  const document = { n: [3, 1, 2], d: [{ k: 1, v: 'a' }, { k: 2 }], o: { a: 1, b: 2 } };
  test.each<[unknown, unknown]>([
    [{ $size: '$n' }, 3],
    [{ $arrayElemAt: ['$n', -1] }, 2],
    [{ $arrayElemAt: ['$n', 9] }, MISSING],
    [{ $first: '$n' }, 3],
    [{ $last: '$n' }, 2],
    [{ $in: [2, '$n'] }, true],
    [{ $concatArrays: ['$n', [9]] }, [3, 1, 2, 9]],
    [{ $slice: ['$n', -2] }, [1, 2]],
    [{ $slice: ['$n', 1, 1] }, [1]],
    [{ $reverseArray: '$n' }, [2, 1, 3]],
    [{ $indexOfArray: ['$n', 2] }, 2],
    [{ $range: [0, 6, 2] }, [0, 2, 4]],
    [{ $filter: { input: '$n', as: 'x', cond: { $gte: ['$$x', 2] } } }, [3, 2]],
    [{ $map: { input: '$n', in: { $multiply: ['$$this', 2] } } }, [6, 2, 4]],
    [{ $reduce: { input: '$n', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }, 6],
    [{ $sortArray: { input: '$n', sortBy: 1 } }, [1, 2, 3]],
    [{ $sortArray: { input: '$d', sortBy: { k: -1 } } }, [{ k: 2 }, { k: 1, v: 'a' }]],
    [
      {
        $setUnion: [
          [2, 1],
          [2, 3],
        ],
      },
      [1, 2, 3],
    ],
    [
      {
        $setIntersection: [
          [1, 2],
          [2, 3],
        ],
      },
      [2],
    ],
    [{ $setDifference: [[1, 2, 1], [2]] }, [1]],
    [{ $setIsSubset: [[1], [1, 2]] }, true],
    ['$d.v', ['a']],
    ['$d.k', [1, 2]],
    ['$n.0', []],
    [{ $mergeObjects: ['$o', { b: 3 }, null] }, { a: 1, b: 3 }],
    [
      { $objectToArray: '$o' },
      [
        { k: 'a', v: 1 },
        { k: 'b', v: 2 },
      ],
    ],
    [
      {
        $arrayToObject: [
          [
            ['x', 1],
            ['y', 2],
          ],
        ],
      },
      { x: 1, y: 2 },
    ],
    [{ $getField: { field: 'a', input: '$o' } }, 1],
    [{ $let: { vars: { x: 2 }, in: { $add: ['$$x', 1] } } }, 3],
    [{ $isArray: ['$n'] }, true],
    [{ $type: '$no' }, 'missing'],
  ])('%j is %j', async (expression, expected) => {
    expect(await resultOf(expression, document)).toEqual(expected);
  });
});

describe('conversions', () => {
  const id = new ObjectId('65a000000000000000000001');
  test.each<[unknown, unknown]>([
    [{ $toInt: '42' }, 42],
    [{ $toInt: -1.9 }, -1],
    [{ $toDouble: '1.5' }, 1.5],
    [{ $toBool: 0 }, false],
    [{ $toBool: '' }, true],
    [{ $toString: 1.5 }, '1.5'],
    [{ $toString: id }, '65a000000000000000000001'],
    [{ $toString: at('2026-01-01T00:00:00Z') }, '2026-01-01T00:00:00.000Z'],
    [{ $toObjectId: '65a000000000000000000001' }, id],
    [{ $toDate: id }, id.getTimestamp()],
    [{ $convert: { input: 'x', to: 'int', onError: -1 } }, -1],
    [{ $convert: { input: null, to: 'int', onNull: 0 } }, 0],
    [{ $isNumber: '1' }, false],
  ])('%j is %j', async (expression, expected) => {
    expect(await resultOf(expression)).toEqual(expected);
  });
});

describe('what is wrong or unknown is refused by name', () => {
  test.each<[unknown, number, RegExp]>([
    [{ $foo: 1 }, 168, /Unrecognized expression '\$foo'/],
    [{ $function: {} }, 168, /\$function is not supported/],
    [{ $percentile: {} }, 168, /\$percentile is not supported/],
    ['$$nope', 17276, /undefined variable: nope/],
    [{ $add: ['x', 1] }, 14, /only supports numeric or date types, not string/],
    [{ $divide: [1, 0] }, 2, /can't \$divide by zero/],
    [{ $mod: [1, 0] }, 16610, /can't \$mod by zero/],
    [{ $concat: [1] }, 16702, /\$concat only supports strings, not int/],
    [{ $size: 1 }, 17124, /must be an array/],
    [{ $toInt: 'x' }, 241, /Failed to parse number 'x'/],
    [{ $toInt: 3e9 }, 241, /overflow/],
    [
      { $dateToString: { date: at('2026-01-01T00:00:00Z'), timezone: 'Mars/Base' } },
      40485,
      /unrecognized time zone/,
    ],
    [{ $dateToString: { date: at('2026-01-01T00:00:00Z'), format: '%Q' } }, 18536, /%Q/],
    [{ $switch: { branches: [{ case: false, then: 1 }] } }, 40066, /no default/],
    [{ $eq: [1] }, 16020, /exactly 2 arguments/],
  ])('%j', async (expression, code, message) => {
    const error = await errorOf(resultOf(expression));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});
