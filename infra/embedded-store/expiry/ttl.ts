import { UtcDate } from '../bson/values.js';
import { boundsFor, demandsOf } from '../planning/bounds.js';
import type { Plan } from '../planning/plan.js';
import { scan } from '../planning/scan.js';
import type { Filter } from '../query/filter.js';
import type { Collection, Index } from '../storage/collection.js';
import type { Store } from '../storage/store.js';

/**
 * Removes up to `limit` documents that TTL indexes let expire by `now` (ms): whose indexed date, or the earliest of an
 * array of dates, is `expireAfterSeconds` old. Returns how many it removed: as many as `limit` where more may be left.
 */
export function sweepExpired(store: Store, now: number, limit: number): number {
  let removed = 0;
  for (const database of store.databases()) {
    for (const collection of store.collections(database)) {
      for (const index of collection.indexes) {
        if (index.spec.expireAfterSeconds === undefined) continue;
        removed += store.transaction(() => sweepIndex(collection, index, now, limit - removed));
        if (removed >= limit) return removed;
      }
    }
  }
  return removed;
}

function sweepIndex(collection: Collection, index: Index, now: number, limit: number): number {
  const oldest = now - (index.spec.expireAfterSeconds as number) * 1000;
  const expired: Filter = {
    kind: 'field',
    path: index.spec.paths[0] as readonly string[],
    test: { kind: 'compare', operator: '$lte', operand: new UtcDate(oldest) },
  };
  const counters = { keysExamined: 0, docsExamined: 0 };
  let removed = 0;
  // One at a time, and not all that have expired: a backlog may be larger than the memory.
  for (const { id, doc } of scan(collection, planOf(index, expired), expired, counters, () => undefined)) {
    collection.remove(id, doc);
    if (++removed >= limit) break;
  }
  return removed;
}

/** Plans by the TTL index itself, which alone holds what it lets expire and no other documents. */
function planOf(index: Index, expired: Filter): Plan {
  const { ranges } = boundsFor(index, demandsOf(expired));
  return { kind: 'index', index, ranges, backwards: false, merged: false, sorted: true, exact: false };
}
