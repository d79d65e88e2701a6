import { isNumber, ObjectId, UtcDate, type Value } from '../bson/values.js';
import type { Filter, Test } from '../query/filter.js';
import { isNotANumber } from '../query/match.js';
import type { Collection, Index } from '../storage/collection.js';
import type { KeyRange } from '../storage/rows.js';
import { type Bounds, boundsFor, type Demands, demandsOf } from './bounds.js';
import { usable } from './plan.js';

/** Ranges of an index whose entries are the matches of a filter, one entry a match. */
export interface CountPlan {
  readonly index: Index;
  readonly ranges: readonly KeyRange[];
}

/**
 * Returns an index whose entries can be counted in the place of the matching documents, or undefined when none is
 * known to be exact. Since nothing applies the filter again, all of this has to hold:
 * - the filter is equalities, ranges and `$in` alone, over types whose keys are equal and in order just as the
 * values match;
 * - the bounds say all that it demands: one equality or `$in` a field, then any number of comparisons on one;
 * - the index holds every document that the filter lets through, and never had an array under a field, so that each
 * document has one entry.
 */
export function planCount(collection: Collection, filter: Filter, hinted?: Index): CountPlan | undefined {
  if (!(filter.kind === 'and' ? filter.all : [filter]).every(isKeptByKeys)) return undefined;
  const demands = demandsOf(filter);
  for (const index of hinted ? [hinted] : collection.indexes) {
    if (index.multikey !== 0 || !usable(index, demands)) continue;
    const bounds = boundsFor(index, demands);
    if (saysAll(bounds, index, demands)) return { index, ranges: bounds.ranges };
  }
  return undefined;
}

function isKeptByKeys(part: Filter): boolean {
  if (part.kind === 'constant') return part.value;
  if (part.kind !== 'field') return false;
  const { test } = part;
  if (test.kind === 'compare') return isPlain(test.operand);
  return test.kind === 'in' && test.patterns.length === 0 && test.operands.every(isPlain);
}

/** Types whose comparisons hold exactly between two keys. NaN is not among them: `$gte` NaN matches only NaN. */
function isPlain(operand: Value): boolean {
  if (isNumber(operand)) return !isNotANumber(operand);
  return (
    operand === null ||
    typeof operand === 'string' ||
    typeof operand === 'boolean' ||
    operand instanceof ObjectId ||
    operand instanceof UtcDate
  );
}

function saysAll(bounds: Bounds, index: Index, demands: Demands): boolean {
  const bounded = bounds.points + (bounds.ranged ? 1 : 0);
  if (bounded !== demands.size) return false;
  return index.spec.paths.slice(0, bounded).every((path, at) => {
    const tests = demands.get(path.join('.')) ?? [];
    return at < bounds.points ? tests.length === 1 : tests.length > 0 && tests.every(isRange);
  });
}

function isRange(test: Test): boolean {
  return test.kind === 'compare' && test.operator !== '$eq';
}
