import type { Value } from '../bson/values.js';
import { equal } from '../bson-order/compare.js';
import type { SortOrder } from '../fields/sort.js';
import type { Filter, Test } from '../query/filter.js';
import { passesComparison } from '../query/match.js';
import type { Collection, Index } from '../storage/collection.js';
import { type Bounds, boundsFor, type Demands, demandsOf, type PointRange } from './bounds.js';
import { isKeptByKeys, saysAll } from './exact-bounds.js';

/** How the candidates of a query are found. Every plan yields a superset of the matches. */
export type Plan =
  | { readonly kind: 'collection'; readonly sorted: boolean }
  | {
      readonly kind: 'index';
      readonly index: Index;
      readonly ranges: readonly PointRange[];
      readonly backwards: boolean;
      /** Each range is in the wanted order, and all of them are when they are merged by what follows their prefix. */
      readonly merged: boolean;
      /** The candidates come in the wanted order. */
      readonly sorted: boolean;
      /**
       * Each candidate is a match: whole keys of a unique index are all that is asked for. Of another index it would not
       * do: a scan may rest between reading an entry and its document, which may change then.
       */
      readonly exact: boolean;
    }
  | { readonly kind: 'union'; readonly plans: readonly Plan[]; readonly sorted: boolean };

/** Picks the plan that reads least by what is known without statistics: equalities, then range, then order. */
export function planQuery(collection: Collection, filter: Filter, sort?: SortOrder, hinted?: Index): Plan {
  const demands = demandsOf(filter);
  let best: Plan = { kind: 'collection', sorted: sort === undefined };
  let bestScore = 0;
  for (const index of hinted && usable(hinted, demands) ? [hinted] : collection.indexes) {
    if (!usable(index, demands)) continue;
    const bounds = boundsFor(index, demands);
    const mergedOrder =
      sort !== undefined && isMergeable(index, bounds)
        ? orderFrom(index, bounds.points, bounds.singlePoints, sort)
        : undefined;
    const order = mergedOrder ?? orderFrom(index, bounds.singlePoints, bounds.singlePoints, sort);
    const score = scoreOf(index, bounds, sort !== undefined && order !== undefined);
    if (score <= bestScore) continue;
    bestScore = score;
    best = {
      kind: 'index',
      index,
      ranges: bounds.ranges,
      backwards: order === 'backwards',
      merged: mergedOrder !== undefined,
      sorted: sort === undefined || order !== undefined,
      exact:
        score >= UNIQUE && index.multikey === 0 && isKeptByKeys(filter) && saysAll(bounds, index, demands),
    };
    // One whole key of a unique index: no other reads less.
    if (score >= UNIQUE && best.sorted) return best;
  }
  if (best.kind === 'collection' || bestScore < POINT) return unionPlan(collection, filter, sort) ?? best;
  return best;
}

const POINT = 100;
const UNIQUE = 10_000;
/** Ranges that are read side by side: each costs a read of its first entries. */
const MAX_MERGED = 64;

function scoreOf(index: Index, bounds: Bounds, sorted: boolean): number {
  const complete = index.spec.unique && bounds.points === index.spec.paths.length ? UNIQUE : 0;
  // Of two that are as good, the one that leaves out what is not asked for.
  const partial = index.spec.partial ? 10 : 0;
  return complete + bounds.points * POINT + (bounds.ranged ? 50 : 0) + (sorted ? 30 : 0) + partial;
}

/** Plans an `$or` as the union of its branches' candidates, where each branch has an index of its own. */
function unionPlan(collection: Collection, filter: Filter, sort?: SortOrder): Plan | undefined {
  const parts = filter.kind === 'and' ? filter.all : [filter];
  for (const part of parts) {
    if (part.kind !== 'or') continue;
    const plans = part.any.map((branch) => planQuery(collection, branch));
    if (plans.every((plan) => plan.kind !== 'collection'))
      return { kind: 'union', plans, sorted: sort === undefined };
  }
  return undefined;
}

/** Checks whether an index holds every document that the demands let through. */
export function usable(index: Index, demands: Demands): boolean {
  const { sparse, partial, paths } = index.spec;
  if (partial) return implies(demands, partial.filter);
  if (!sparse) return true;
  return paths.some((path) => (demands.get(path.join('.')) ?? []).some(excludesMissing));
}

function excludesMissing(test: Test): boolean {
  switch (test.kind) {
    case 'compare':
      return !passesComparison(test.operator, test.operand, undefined);
    case 'in':
      return !test.operands.includes(null);
    case 'regex':
    case 'exists':
    case 'value':
    case 'size':
    case 'elementValue':
    case 'elementDocument':
      return true;
  }
}

/** Checks whether demands that hold make a partial index's filter hold too; in doubt, no. */
function implies(demands: Demands, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.all.every((part) => implies(demands, part));
    case 'or':
      return filter.any.some((part) => implies(demands, part));
    case 'field':
      return (demands.get(filter.path.join('.')) ?? []).some((test) => impliesTest(test, filter.test));
    case 'constant':
      return filter.value;
    case 'not':
    case 'expression':
      return false;
  }
}

function impliesTest(given: Test, wanted: Test): boolean {
  if (wanted.kind === 'exists') return excludesMissing(given);
  if (wanted.kind === 'in')
    return operandsOf(given)?.every((value) => wanted.operands.some((one) => equal(one, value))) ?? false;
  if (wanted.kind === 'value')
    return operandsOf(given)?.every((value) => value !== null && wanted.accepts(value)) ?? false;
  if (wanted.kind !== 'compare') return false;
  const values = operandsOf(given);
  if (values) return values.every((value) => passesComparison(wanted.operator, wanted.operand, value));
  if (given.kind !== 'compare') return false;
  const sameSide = given.operator.slice(0, 3) === wanted.operator.slice(0, 3);
  if (!sameSide || given.operator === '$eq') return false;
  if (equal(given.operand, wanted.operand))
    return given.operator === wanted.operator || wanted.operator.length === 4;
  return passesComparison(wanted.operator, wanted.operand, given.operand);
}

function operandsOf(test: Test): readonly Value[] | undefined {
  if (test.kind === 'in' && test.patterns.length === 0) return test.operands;
  return test.kind === 'compare' && test.operator === '$eq' ? [test.operand] : undefined;
}

/** Returns whether several points of leading fields can be read side by side, as MongoDB's SORT_MERGE does. */
function isMergeable(index: Index, { ranges, points, singlePoints }: Bounds): boolean {
  return points > singlePoints && ranges.length <= MAX_MERGED && index.multikey === 0;
}

/**
 * Returns the direction in which an index yields the sort order, or undefined if it does in none: where its first
 * `singlePoints` fields have one value in all entries, those up to `points` one in each range, and ranges are merged by
 * what follows.
 */
function orderFrom(
  index: Index,
  points: number,
  singlePoints: number,
  sort?: SortOrder,
): 'forwards' | 'backwards' | undefined {
  if (sort === undefined) return 'forwards';
  const { paths, directions } = index.spec;
  const fixed = new Set(paths.slice(0, points).map((path) => path.join('.')));
  let at = points;
  let way = 0;
  for (const [place, path] of sort.paths.entries()) {
    const name = path.join('.');
    const fixedAt = paths.findIndex((one) => one.join('.') === name);
    // What differs between ranges is not what they are merged by.
    if (fixed.has(name) && fixedAt >= singlePoints) return undefined;
    if (fixed.has(name) && ((index.multikey >> fixedAt) & 1) === 0) continue;
    if (paths[at]?.join('.') !== name || ((index.multikey >> at) & 1) === 1) return undefined;
    const turn = (directions[at] as number) * (sort.directions[place] as number);
    if (way !== 0 && way !== turn) return undefined;
    way = turn;
    at++;
  }
  return way === -1 ? 'backwards' : 'forwards';
}
