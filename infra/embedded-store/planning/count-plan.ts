import type { Filter } from '../query/filter.js';
import type { Collection, Index } from '../storage/collection.js';
import type { KeyRange } from '../storage/rows.js';
import { boundsFor, demandsOf } from './bounds.js';
import { isKeptByKeys, saysAll } from './exact-bounds.js';
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
  if (!isKeptByKeys(filter)) return undefined;
  const demands = demandsOf(filter);
  for (const index of hinted ? [hinted] : collection.indexes) {
    if (index.multikey !== 0 || !usable(index, demands)) continue;
    const bounds = boundsFor(index, demands);
    if (saysAll(bounds, index, demands)) return { index, ranges: bounds.ranges };
  }
  return undefined;
}
