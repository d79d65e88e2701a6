import { isNumber, ObjectId, UtcDate, type Value } from '../bson/values.js';
import type { Filter, Test } from '../query/filter.js';
import { isNotANumber } from '../query/match.js';
import type { Index } from '../storage/collection.js';
import type { Bounds, Demands } from './bounds.js';

/** Checks whether a filter is equalities, ranges and `$in` alone, over types whose keys say what matches. */
export function isKeptByKeys(filter: Filter): boolean {
  return (filter.kind === 'and' ? filter.all : [filter]).every(isPartKept);
}

function isPartKept(part: Filter): boolean {
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

/** Checks whether bounds say all that is demanded, so that each entry in them is a match. */
export function saysAll(bounds: Bounds, index: Index, demands: Demands): boolean {
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
