import { Double, isNumber, MaxKey, MinKey, type Value } from '../bson/values.js';
import { rankOf } from '../bson-order/compare.js';
import { above, encodeKey, rankPrefix } from '../bson-order/keys.js';
import type { Filter, Test } from '../query/filter.js';
import { isNotANumber } from '../query/match.js';
import type { Index } from '../storage/collection.js';
import type { KeyRange } from '../storage/rows.js';

/**
 * Points that lists of values of several fields may multiply to over a compound index before a wider range is cheaper.
 * One list alone has as many points as it has values, as in MongoDB.
 */
const MAX_PRODUCT = 512;
const NOT_A_NUMBER = new Double(Number.NaN);

/** What a filter demands of each path at its top level; every demand must hold. */
export type Demands = ReadonlyMap<string, readonly Test[]>;

export function demandsOf(filter: Filter): Demands {
  const demands = new Map<string, Test[]>();
  const parts = filter.kind === 'and' ? filter.all : [filter];
  for (const part of parts) {
    if (part.kind === 'field') addField(demands, part.path, part.test);
    // A field that must not exist lies in the index as null.
    if (part.kind === 'not' && part.filter.kind === 'field' && part.filter.test.kind === 'exists') {
      add(demands, part.filter.path, { kind: 'compare', operator: '$eq', operand: null });
    }
  }
  return demands;
}

/** Adds the demands of a field; one on an array's elements is one on the keys that they leave in the index. */
function addField(demands: Map<string, Test[]>, path: readonly string[], test: Test): void {
  if (test.kind === 'elementDocument') {
    for (const [name, tests] of demandsOf(test.filter)) {
      for (const inner of tests) add(demands, [...path, name], inner);
    }
  } else if (test.kind === 'elementValue') {
    for (const inner of test.tests) add(demands, path, inner);
  }
  add(demands, path, test);
}

function add(demands: Map<string, Test[]>, path: readonly string[], test: Test): void {
  const name = path.join('.');
  const tests = demands.get(name);
  if (tests) tests.push(test);
  else demands.set(name, [test]);
}

/** A range whose keys all begin with the same values of the fields that are fixed to points. */
export interface PointRange extends KeyRange {
  /** Length of these values in the keys, in bytes: what follows is in the order of the fields after them. */
  readonly prefix: number;
}

/** Ranges of an index that hold every match of the demands (and more, unless `planCount` finds them exact). */
export interface Bounds {
  readonly ranges: readonly PointRange[];
  /** Leading fields fixed to one or more values, and of those the first that are fixed to exactly one. */
  readonly points: number;
  readonly singlePoints: number;
  readonly ranged: boolean;
}

/**
 * Bounds from the leading fields of an index: equalities, then one range. With arrays in the index (multikey)
 * two demands may be met by different elements, so only one demand on the array's fields can be used.
 */
export function boundsFor(index: Index, demands: Demands): Bounds {
  const { paths, directions } = index.spec;
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let points = 0;
  let singlePoints = 0;
  let usedArray = false;
  for (let at = 0; at < paths.length; at++) {
    const tests = demands.get((paths[at] as readonly string[]).join('.')) ?? [];
    const direction = directions[at] as number;
    const multikey = ((index.multikey >> at) & 1) === 1;
    if (multikey && usedArray) break;
    const values = fewestPoints(tests);
    if (values === undefined || exceedsProduct(prefixes.length, values.length)) {
      const usable = multikey ? tests.filter((test) => intervalOf([test], direction)).slice(0, 1) : tests;
      const interval = intervalOf(usable, direction);
      if (interval === undefined) break;
      const ranges = prefixes.map((prefix) => ({
        from: Buffer.concat([prefix, interval.from]),
        to: Buffer.concat([prefix, interval.to]),
        prefix: prefix.length,
      }));
      return { ranges: ordered(ranges), points, singlePoints, ranged: true };
    }
    usedArray ||= multikey;
    const encoded = values.map((value) => encodeKey([value], [direction]));
    prefixes = prefixes.flatMap((prefix) => encoded.map((key) => Buffer.concat([prefix, key])));
    if (singlePoints === points && encoded.length === 1) singlePoints++;
    points++;
  }
  const ranges = prefixes.map((prefix) => ({ from: prefix, to: above(prefix), prefix: prefix.length }));
  return { ranges: ordered(ranges), points, singlePoints, ranged: false };
}

/** Sorts ranges and removes repetitions, so that a scan over all of them keeps the index's order. */
function ordered(ranges: PointRange[]): PointRange[] {
  if (ranges.length < 2) return ranges;
  ranges.sort((a, b) => Buffer.compare(a.from, b.from));
  return ranges.filter((range, at) => at === 0 || !range.from.equals((ranges[at - 1] as PointRange).from));
}

/** Checks whether several prefixes and several values have a product above the limit. */
function exceedsProduct(prefixes: number, values: number): boolean {
  return prefixes > 1 && values > 1 && prefixes * values > MAX_PRODUCT;
}

/** Returns the shortest of the lists of values that a field has to be in, or undefined where it may be anything. */
function fewestPoints(tests: readonly Test[]): readonly Value[] | undefined {
  let fewest: readonly Value[] | undefined;
  for (const test of tests) {
    const points = pointsOf(test);
    if (points !== undefined && (fewest === undefined || points.length < fewest.length)) fewest = points;
  }
  return fewest;
}

function pointsOf(test: Test): readonly Value[] | undefined {
  if (test.kind === 'in') {
    return test.patterns.length === 0 && !test.operands.some(Array.isArray) ? test.operands : undefined;
  }
  if (test.kind !== 'compare' || Array.isArray(test.operand)) return undefined;
  if (test.operator === '$eq') return [test.operand];
  const inclusive = test.operator === '$lte' || test.operator === '$gte';
  return inclusive && test.operand === null ? [null] : undefined;
}

/** Returns the bytes between which a field lies for all the given comparisons to hold, or undefined if unbounded. */
function intervalOf(tests: readonly Test[], direction: number): KeyRange | undefined {
  let result: KeyRange | undefined;
  for (const test of tests) {
    if (test.kind !== 'compare' || test.operator === '$eq') continue;
    const { operand, operator } = test;
    if (Array.isArray(operand) || operand instanceof MinKey || operand instanceof MaxKey) continue;
    const type = rankPrefix(rankOf(operand), direction);
    const key = encodeKey([operand], [direction]);
    let from: Buffer = type;
    let to: Buffer = Buffer.of((type[0] as number) + 1);
    const upwards = (operator === '$gt' || operator === '$gte') === (direction === 1);
    const inclusive = operator === '$gte' || operator === '$lte';
    // NaN is the lowest of the numbers and yet below none of them.
    if (isNumber(operand) && !isNotANumber(operand)) {
      const nan = encodeKey([NOT_A_NUMBER], [direction]);
      if (direction === 1) from = above(nan);
      else to = nan;
    }
    if (upwards) from = inclusive ? key : above(key);
    else to = inclusive ? above(key) : key;
    result =
      result === undefined ? { from, to } : { from: later(result.from, from), to: earlier(result.to, to) };
  }
  return result;
}

function later(a: Buffer, b: Buffer): Buffer {
  return Buffer.compare(a, b) >= 0 ? a : b;
}

function earlier(a: Buffer, b: Buffer): Buffer {
  return Buffer.compare(a, b) <= 0 ? a : b;
}
