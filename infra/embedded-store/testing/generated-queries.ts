import fc from 'fast-check';
import {
  Binary,
  Decimal128,
  type Doc,
  Double,
  Int32,
  MaxKey,
  MinKey,
  ObjectId,
  Regex,
  UtcDate,
  type Value,
} from '../bson/values.js';
import { parseFilter } from '../query/parse.js';

/** Builds a document of fields. */
export const doc = (fields: Record<string, Value>): Doc => new Map(Object.entries(fields));
export const int = (n: number): Int32 => new Int32(n);

/** Values that lie next to each other in a key, and those that comparisons treat apart from order. */
const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 2 }).map(int) },
  fc.constantFrom<Value>(1n, new Double(1), new Double(0.5), new Double(-0), Decimal128.fromString('1.0')),
  fc.constantFrom<Value>(
    2n ** 53n,
    2n ** 53n + 1n,
    new Double(2 ** 53),
    Decimal128.fromString('0.1'),
    new Double(0.1),
  ),
  fc.constantFrom<Value>(
    new Double(Number.NaN),
    Decimal128.fromString('NaN'),
    new Double(Infinity),
    new Double(-Infinity),
  ),
  fc.constantFrom<Value>(null, true, false, '', 'a', 'a\0', 'a\0b', 'b', '\u{1f600}', '\uffee'),
  fc.constantFrom<Value>(
    new UtcDate(0),
    new UtcDate(-1),
    new ObjectId(Buffer.alloc(12)),
    new ObjectId(Buffer.alloc(12, 255)),
  ),
  fc.constantFrom<Value>(
    MinKey.instance,
    MaxKey.instance,
    new Regex('a', ''),
    new Binary(0, Buffer.of(1)),
    doc({ b: int(1) }),
    doc({}),
  ),
);
const stored: fc.Arbitrary<Value> = fc.oneof(
  { weight: 12, arbitrary: value },
  { weight: 2, arbitrary: fc.record({ b: value }, { requiredKeys: [] }).map(doc) },
);
const withArrays: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: stored },
  fc.array(stored, { maxLength: 2 }),
);
/** Most collections have no arrays, where counting by keys is to be had. */
export const documents = fc.constantFrom(stored, stored, stored, withArrays).chain((field) => {
  const fields = fc.record({ a: field, d: stored, e: stored }, { requiredKeys: [] }).map(doc);
  return fc.array(fields, { minLength: 4, maxLength: 16 });
});

const path = fc.constantFrom('a', 'a', 'd', 'd', 'e', 'a.b');
const operator = fc.constantFrom('$eq', '$lt', '$lte', '$gt', '$gte', '$lt', '$gte');
const condition: fc.Arbitrary<Value> = fc.oneof(
  { weight: 5, arbitrary: value },
  {
    weight: 6,
    arbitrary: fc
      .array(fc.tuple(operator, value), { minLength: 1, maxLength: 2 })
      .map((list): Value => new Map(list)),
  },
  { weight: 3, arbitrary: fc.array(value, { maxLength: 4 }).map((list) => doc({ $in: list })) },
  fc.constantFrom<Value>(doc({ $exists: true }), doc({ $exists: false }), doc({ $ne: int(1) })),
);
const clause = fc
  .array(fc.tuple(path, condition), { minLength: 0, maxLength: 3 })
  .map((parts): Doc => new Map(parts));
/** Clauses may ask of a path twice: `$and` beside the fields. */
export const question: fc.Arbitrary<Doc> = fc
  .tuple(clause, fc.option(clause, { nil: undefined, freq: 3 }))
  .map(([first, second]): Doc => (second ? doc({ $and: [first, second] }) : first))
  .filter((filter) => {
    try {
      parseFilter(filter);
      return true;
    } catch {
      return false; // a regular expression to compare with
    }
  });

/** Declarations of indexes: paths, directions and options. */
export const index = fc.tuple(
  fc.shuffledSubarray(['a', 'd', 'e', 'a.b'], { minLength: 1, maxLength: 3 }),
  fc.array(fc.constantFrom(int(1), int(-1)), { minLength: 3, maxLength: 3 }),
  fc.constantFrom<Record<string, Value>>(
    {},
    {},
    { sparse: true },
    { partialFilterExpression: doc({ d: doc({ $gte: int(1) }) }) },
    { partialFilterExpression: doc({ a: doc({ $exists: true }) }) },
  ),
);
