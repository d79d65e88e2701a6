import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeDocument } from '../bson/encode.js';
import { type Doc, Double, Int32, type Value } from '../bson/values.js';
import { compare } from '../bson-order/compare.js';
import { countMatches } from '../commands/count.js';
import { newCounters, selected } from '../commands/find.js';
import { parseSort, sortBy, sortKey } from '../fields/sort.js';
import type { Filter } from '../query/filter.js';
import { matches } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import type { Collection } from '../storage/collection.js';
import { parseIndexSpec } from '../storage/index-spec.js';
import { Store } from '../storage/store.js';
import { planQuery } from './plan.js';

let directory: string;
let store: Store;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'embedded-store-'));
  store = new Store(directory);
});
afterAll(() => {
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

const doc = (fields: Record<string, Value>): Doc => new Map(Object.entries(fields));
const scalar: fc.Arbitrary<Value> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 2 }).map((n) => new Int32(n)) },
  fc.integer({ min: 0, max: 4 }).map((n) => new Double(n / 2)),
  fc.constantFrom<Value>(null, 'a', 'b', true, new Double(Number.NaN)),
);
const pair = fc.record({ b: scalar, c: scalar }, { requiredKeys: [] }).map(doc);
const inner = fc.option(pair, { nil: undefined });
const field: fc.Arbitrary<Value | undefined> = fc.oneof(
  { weight: 2, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  inner,
  {
    weight: 4,
    arbitrary: fc.array(fc.oneof({ weight: 1, arbitrary: scalar }, { weight: 5, arbitrary: pair }), {
      maxLength: 3,
    }),
  },
);
const document = fc.record({ a: field, d: fc.option(scalar, { nil: undefined }) }).map(({ a, d }) => {
  const result: Doc = new Map();
  if (a !== undefined) result.set('a', a);
  if (d !== undefined) result.set('d', d);
  return result;
});

const path = fc.constantFrom('a', 'a.b', 'a.b', 'a.c', 'a.c', 'd');
const comparison = fc.tuple(fc.constantFrom('$eq', '$eq', '$lt', '$lte', '$gt', '$gte', '$ne'), scalar);
const condition: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: scalar },
  {
    weight: 6,
    arbitrary: fc.array(comparison, { minLength: 1, maxLength: 2 }).map((list): Value => new Map(list)),
  },
  fc.array(scalar, { maxLength: 3 }).map((list) => doc({ $in: list })),
  fc.boolean().map((wanted) => doc({ $exists: wanted })),
  comparison.map(([operator, operand]) => doc({ $elemMatch: doc({ [operator]: operand }) })),
  fc.tuple(scalar, scalar).map(([b, c]) => doc({ $elemMatch: doc({ b, c }) })),
);
const conjunction = fc
  .array(fc.tuple(path, condition), { minLength: 1, maxLength: 3 })
  .map((parts): Doc => new Map(parts));
const filter = fc.oneof(
  { weight: 5, arbitrary: conjunction },
  fc
    .array(
      conjunction.filter((part) => part.size > 0),
      { minLength: 1, maxLength: 3 },
    )
    .map((any) => doc({ $or: any })),
);
const direction = fc.constantFrom(new Int32(1), new Int32(-1));
const order = fc
  .array(fc.tuple(path, direction), { maxLength: 2 })
  .map((parts): Doc => new Map<string, Value>(parts));
const keyPattern = fc
  .tuple(
    fc.shuffledSubarray(['a.b', 'a.c', 'd', 'a'], { minLength: 1, maxLength: 3 }),
    fc.array(direction, { minLength: 3, maxLength: 3 }),
  )
  .map(([paths, ways]): Doc => new Map(paths.map((one, at) => [one, ways[at] as Value])));
const index = fc.tuple(
  keyPattern,
  fc.constantFrom<Record<string, Value>>(
    {},
    {},
    { sparse: true },
    { partialFilterExpression: doc({ d: doc({ $gte: new Int32(1) }) }) },
  ),
);

let names = 0;

/** Gives a collection with the documents that its indexes allow (no two arrays under one index). */
function fill(
  documents: Doc[],
  indexes: [Doc, Record<string, Value>][],
): { collection: Collection; kept: Doc[] } {
  const collection = store.ensureCollection('plans', `c${++names}`);
  for (const [at, [key, options]] of indexes.entries()) {
    const spec = parseIndexSpec(
      new Map<string, Value>([['key', key], ['name', `i${at}`], ...Object.entries(options)]),
    );
    if (!collection.indexes.some((other) => compare(other.spec.key, key) === 0))
      store.createIndex(collection, spec);
  }
  const kept: Doc[] = [];
  for (const [at, source] of documents.entries()) {
    const complete: Doc = new Map<string, Value>([['_id', new Int32(at)], ...source]);
    try {
      collection.insert(complete, encodeDocument(complete));
      kept.push(complete);
    } catch {
      // two arrays under one index: refused, so not there
    }
  }
  return { collection, kept };
}

/** What counting says, however it is found. */
function countOf(collection: Collection, filter: Filter, skip = 0, limit = 0): number {
  return countMatches(collection, { filter, skip, limit }, newCounters(), () => undefined);
}

const idOf = (one: Doc) => (one.get('_id') as Int32).value;

describe('whatever the indexes, a query gives what scanning all documents gives', () => {
  test('the same documents, in the wanted order', () => {
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 6, maxLength: 14 }),
        fc.array(index, { minLength: 1, maxLength: 3 }),
        filter,
        order,
        fc.integer({ min: 0, max: 5 }),
        (documents, indexes, question, sorting, limit) => {
          store.transaction(() => {
            const { collection, kept } = fill(documents, indexes);
            const parsed = parseFilter(question);
            const sort = parseSort(sorting);
            const query = { filter: parsed, sort, skip: 0, limit };
            const found = [...selected(collection, query, newCounters(), () => undefined)].map(
              (match) => match.doc,
            );
            const expected = kept.filter((one) => matches(parsed, one));
            const ids = found.map(idOf);
            expect(new Set(ids).size).toBe(ids.length);
            if (limit === 0) expect(ids.toSorted((x, y) => x - y)).toEqual(expected.map(idOf));
            else expect(ids).toHaveLength(Math.min(limit, expected.length));
            expect(countOf(collection, parsed, 0, limit)).toBe(ids.length);
            if (sort) {
              const keys = found.map((one) => sortKey(sort, one).toString('latin1'));
              const all = sortBy(expected, sort, (one) => one).map((one) =>
                sortKey(sort, one).toString('latin1'),
              );
              expect(keys).toEqual(limit === 0 ? all : all.slice(0, limit));
            }
            store.dropCollection(collection);
          });
        },
      ),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) },
    );
  });

  test.each([1, -1])('in the order of a field that is asked for by several values, direction %i', (way) => {
    const documents = [0, 2, 1, 2, 0].map((d, a) => doc({ d: new Int32(d), a: new Int32(a) }));
    const values = [2, 0, 1].map((d) => new Int32(d));
    const asked = parseFilter(doc({ d: doc({ $in: values }) }));
    for (const key of [doc({ d: new Int32(1) }), doc({ d: new Int32(1), a: new Int32(1) })]) {
      const { collection } = fill(documents, [[key, {}]]);
      const found = (sorting: Doc) => {
        const query = { filter: asked, sort: parseSort(sorting), skip: 0, limit: 0 };
        return [...selected(collection, query, newCounters(), () => undefined)].map(({ doc }) =>
          ['d', 'a'].map((name) => (doc.get(name) as Int32).value).join(),
        );
      };
      const ascending = ['0,0', '0,4', '1,2', '2,1', '2,3'];
      const wanted = way === 1 ? ascending : ascending.toReversed();
      expect(found(doc({ d: new Int32(way), a: new Int32(way) }))).toEqual(wanted);
      expect(found(doc({ d: new Int32(way) })).map(([d]) => d)).toEqual(wanted.map(([d]) => d));
      // Merged by what follows.
      expect(found(doc({ a: new Int32(way) })).map((one) => one.at(-1))).toEqual(
        way === 1 ? ['0', '1', '2', '3', '4'] : ['4', '3', '2', '1', '0'],
      );
    }
  });

  test('an index that holds fewer documents is used only when the query asks for no others', () => {
    const { collection } = fill(
      [doc({ d: new Int32(1) }), doc({ d: new Int32(0) }), doc({})],
      [[doc({ d: new Int32(1) }), { partialFilterExpression: doc({ d: doc({ $gte: new Int32(1) }) }) }]],
    );
    const planFor = (question: Doc) => planQuery(collection, parseFilter(question)).kind;
    expect(planFor(doc({ d: new Int32(1) }))).toBe('index');
    expect(planFor(doc({ d: doc({ $gt: new Int32(1) }) }))).toBe('index');
    expect(planFor(doc({ d: doc({ $gte: new Int32(0) }) }))).toBe('collection');
    expect(planFor(doc({ d: null }))).toBe('collection');
  });

  describe.each([1, -1])('long lists of values, in direction %i of the index', (way) => {
    const values = (length: number, step = 1) =>
      doc({ $in: Array.from({ length }, (_, n) => new Int32(n * step)) });
    const numbered = Array.from({ length: 40 }, (_, n) =>
      doc({ d: new Int32(n % 2), a: new Int32(n * 100) }),
    );
    const compound = doc({ d: new Int32(way), a: new Int32(way) });
    function rangesFor(indexed: Doc, question: Doc): number | undefined {
      const { collection, kept } = fill(numbered, [[indexed, {}]]);
      const parsed = parseFilter(question);
      const plan = planQuery(collection, parsed);
      const query = { filter: parsed, sort: undefined, skip: 0, limit: 0 };
      const found = [...selected(collection, query, newCounters(), () => undefined)].map((match) =>
        idOf(match.doc),
      );
      expect(found.toSorted((x, y) => x - y)).toEqual(kept.filter((one) => matches(parsed, one)).map(idOf));
      return plan.kind === 'index' ? plan.ranges.length : undefined;
    }

    test.each<[string, Doc, Doc, number]>([
      ['on a leading field', doc({ a: new Int32(way) }), doc({ a: values(1000) }), 1000],
      ['after one value', compound, doc({ d: new Int32(1), a: values(1000) }), 1000],
      ['before one value', compound, doc({ d: values(1000), a: new Int32(100) }), 1000],
      ['before a range', compound, doc({ d: values(1000), a: doc({ $gt: new Int32(5) }) }), 1000],
      ['of several, multiplied while they are few', compound, doc({ d: values(16), a: values(32, 50) }), 512],
      [
        'of several, of the first field when they are many',
        compound,
        doc({ d: values(30), a: values(30) }),
        30,
      ],
      [
        'of one field, by the shortest',
        doc({ a: new Int32(way) }),
        doc({ $and: [doc({ a: values(1000) }), doc({ a: values(3, 100) })] }),
        3,
      ],
    ])('%s', (_name, indexed, question, ranges) => {
      expect(rangesFor(indexed, question)).toBe(ranges);
    });
  });
});
