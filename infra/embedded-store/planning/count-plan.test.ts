import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeDocument } from '../bson/encode.js';
import { type Doc, Double, type Int32, MinKey, Regex, UtcDate, type Value } from '../bson/values.js';
import { compare } from '../bson-order/compare.js';
import { countMatches } from '../commands/count.js';
import { newCounters } from '../commands/find.js';
import { matches } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import type { Collection } from '../storage/collection.js';
import { parseIndexSpec } from '../storage/index-spec.js';
import { Store } from '../storage/store.js';
import { doc, documents, index, int, question } from '../testing/generated-queries.js';
import { planCount } from './count-plan.js';

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

let names = 0;
/** Other collections and filters in every run; more by hand: PROPERTY_RUNS=5000. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 250);

function declare(collection: Collection, [paths, ways, options]: [string[], Int32[], Record<string, Value>]) {
  const key: Doc = new Map(paths.map((one, at): [string, Value] => [one, ways[at] as Value]));
  if (collection.indexes.some((other) => compare(other.spec.key, key) === 0)) return;
  const named = new Map<string, Value>([['key', key], ['name', `i${++names}`], ...Object.entries(options)]);
  try {
    store.createIndex(collection, parseIndexSpec(named));
  } catch {
    // two arrays under one index: refused, so not there
  }
}

function insert(collection: Collection, kept: Map<number, Doc>, source: Doc): void {
  const complete: Doc = new Map<string, Value>([['_id', int(++names)], ...source]);
  try {
    kept.set(collection.insert(complete, encodeDocument(complete)), complete);
  } catch {
    // two arrays under one index
  }
}

describe('a count is the number of matches', () => {
  test('whatever the documents, the indexes, the filter, and what was changed and removed before', () => {
    let byKeys = 0;
    let someFound = 0;
    fc.assert(
      fc.property(
        documents,
        fc.array(index, { minLength: 1, maxLength: 3 }),
        fc.array(question, { minLength: 4, maxLength: 8 }),
        fc.nat({ max: 3 }),
        fc.nat({ max: 4 }),
        (sources, indexes, questions, skip, limit) => {
          store.transaction(() => {
            const collection = store.ensureCollection('counts', `c${++names}`);
            const [early, ...late] = indexes;
            if (early) declare(collection, early);
            const kept = new Map<number, Doc>();
            for (const source of sources) insert(collection, kept, source);
            for (const one of late) declare(collection, one);
            const [changed, removed] = [...kept];
            if (changed) {
              const after: Doc = new Map([...changed[1], ['d', int(1)], ['e', null]]);
              collection.replace(changed[0], changed[1], after, encodeDocument(after));
              kept.set(changed[0], after);
            }
            if (removed) {
              collection.remove(removed[0], removed[1]);
              kept.delete(removed[0]);
            }
            for (const asked of questions) {
              const filter = parseFilter(asked);
              const expected = [...kept.values()].filter((one) => matches(filter, one)).length;
              const counters = newCounters();
              const all = { filter, skip: 0, limit: 0 };
              expect(countMatches(collection, all, counters, () => undefined)).toBe(expected);
              if (planCount(collection, filter)) {
                byKeys++;
                if (expected > 0) someFound++;
                expect(counters.docsExamined).toBe(0);
              }
              const after = Math.max(0, expected - skip);
              const some = { filter, skip, limit };
              expect(countMatches(collection, some, newCounters(), () => undefined)).toBe(
                limit === 0 ? after : Math.min(after, limit),
              );
            }
            store.dropCollection(collection);
          });
        },
      ),
      { numRuns: RUNS },
    );
    // The property says something only if keys were counted, and were there.
    expect(byKeys).toBeGreaterThan(RUNS / 2);
    expect(someFound).toBeGreaterThan(RUNS / 6);
  });
});

describe('keys are counted only where they are known to be exact', () => {
  const question = (fields: Record<string, Value>) => parseFilter(doc(fields));
  function indexed(
    key: Record<string, Value>,
    options: Record<string, Value>,
    ...sources: Doc[]
  ): Collection {
    const collection = store.ensureCollection('counts', `c${++names}`);
    declare(collection, [Object.keys(key), Object.values(key) as Int32[], options]);
    for (const source of sources) insert(collection, new Map(), source);
    return collection;
  }
  const numbers = (length: number) => Array.from({ length }, (_, n) => int(n));
  const compound = () =>
    indexed({ tenant: int(1), at: int(-1) }, {}, doc({ tenant: 't', at: new UtcDate(5) }));

  test.each<[string, Record<string, Value>]>([
    ['an equality on the first field', { tenant: 't' }],
    ['a range after it', { tenant: 't', at: doc({ $gte: new UtcDate(1), $lt: new UtcDate(9) }) }],
    ['$in', { tenant: doc({ $in: ['t', 'u'] }), at: new UtcDate(5) }],
    ['a long $in', { tenant: doc({ $in: numbers(600) }) }],
    ['a long $in and one value', { tenant: doc({ $in: numbers(600) }), at: new UtcDate(5) }],
    ['one value and a long $in', { tenant: 't', at: doc({ $in: numbers(600) }) }],
    ['null, which is missing too', { tenant: 't', at: null }],
    ['everything', {}],
  ])('%s: by keys', (_name, filter) => {
    expect(planCount(compound(), question(filter))).toBeDefined();
  });

  test.each<[string, Record<string, Value>]>([
    ['a field that no index has', { tenant: 't', other: int(1) }],
    ['a field beyond a gap', { at: new UtcDate(5) }],
    ['two demands on one equality', { $and: [doc({ tenant: 't' }), doc({ tenant: 'u' })] }],
    ['an equality and a range on one field', { tenant: doc({ $eq: 't', $gt: 'a' }) }],
    ['a range before an equality', { tenant: doc({ $gt: 'a' }), at: new UtcDate(5) }],
    ['$ne', { tenant: doc({ $ne: 't' }) }],
    ['$exists', { tenant: doc({ $exists: true }) }],
    ['must not exist, which null would answer too', { tenant: 't', at: doc({ $exists: false }) }],
    ['a pattern', { tenant: new Regex('^t', '') }],
    ['a pattern in $in', { tenant: doc({ $in: [new Regex('^t', '')] }) }],
    ['an array', { tenant: ['t'] }],
    ['NaN', { tenant: doc({ $gte: new Double(Number.NaN) }) }],
    ['the extremes', { tenant: doc({ $gt: MinKey.instance }) }],
    ['$or', { $or: [doc({ tenant: 't' }), doc({ tenant: 'u' })] }],
    [
      'lists that multiply to more points than the bounds hold',
      { tenant: doc({ $in: numbers(30) }), at: doc({ $in: numbers(30) }) },
    ],
  ])('%s: by documents', (_name, filter) => {
    expect(planCount(compound(), question(filter))).toBeUndefined();
  });

  test('what is counted is keys, as many as there are to count and no document', () => {
    const sources = Array.from({ length: 50 }, (_, n) =>
      doc({ tenant: n < 40 ? 't' : 'u', at: new UtcDate(n) }),
    );
    const collection = indexed({ tenant: int(1), at: int(-1) }, {}, ...sources);
    const read = (filter: Record<string, Value>, skip: number, limit: number) => {
      const counters = newCounters();
      const n = countMatches(
        collection,
        { filter: question(filter), skip, limit },
        counters,
        () => undefined,
      );
      return { n, ...counters };
    };
    expect(read({ tenant: 't' }, 0, 0)).toEqual({ n: 40, keysExamined: 40, docsExamined: 0 });
    expect(read({ tenant: doc({ $in: ['t', 'u'] }) }, 5, 10)).toEqual({
      n: 10,
      keysExamined: 15,
      docsExamined: 0,
    });
    expect(read({ tenant: 't', other: null }, 0, 0)).toEqual({
      n: 40,
      keysExamined: 40,
      docsExamined: 40,
    });
  });
  test('once an array was under any of its fields, not by that index', () => {
    const collection = indexed({ tenant: int(1), tags: int(1) }, {}, doc({ tenant: 't', tags: ['a', 'b'] }));
    expect(planCount(collection, question({ tenant: 't' }))).toBeUndefined();
  });
  test('a sparse index only if the filter lets no document without its fields through', () => {
    const collection = indexed({ a: int(1) }, { sparse: true }, doc({ a: int(1) }), doc({}));
    expect(planCount(collection, question({ a: int(1) }))).toBeDefined();
    expect(planCount(collection, question({ a: null }))).toBeUndefined();
  });
  test('a partial index only if the filter implies its own', () => {
    const partial = { partialFilterExpression: doc({ a: doc({ $gte: int(1) }) }) };
    const collection = indexed({ a: int(1) }, partial, doc({ a: int(1) }), doc({ a: int(0) }));
    expect(planCount(collection, question({ a: doc({ $gt: int(2) }) }))).toBeDefined();
    expect(planCount(collection, question({ a: doc({ $gte: int(0) }) }))).toBeUndefined();
  });
});
