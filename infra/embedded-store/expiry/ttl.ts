import { decodeDocument } from '../bson/decode.js';
import { UtcDate } from '../bson/values.js';
import { planQuery } from '../planning/plan.js';
import { scan } from '../planning/scan.js';
import type { Filter } from '../query/filter.js';
import type { Collection, Index } from '../storage/collection.js';
import type { Store } from '../storage/store.js';

/**
 * Removes what TTL indexes let expire by `now` (ms): documents whose indexed date, or the earliest of an array
 * of dates, is `expireAfterSeconds` old. Returns how many it removed.
 */
export function sweepExpired(store: Store, now: number): number {
  let removed = 0;
  for (const database of store.databases()) {
    for (const collection of store.collections(database)) {
      for (const index of collection.indexes) {
        if (index.spec.expireAfterSeconds === undefined) continue;
        removed += store.transaction(() => sweepIndex(collection, index, now));
      }
    }
  }
  return removed;
}

function sweepIndex(collection: Collection, index: Index, now: number): number {
  const path = index.spec.paths[0] as readonly string[];
  const limit = now - (index.spec.expireAfterSeconds as number) * 1000;
  const old: Filter = {
    kind: 'field',
    path,
    test: { kind: 'compare', operator: '$lte', operand: new UtcDate(limit) },
  };
  const partial = index.spec.partial?.filter;
  const filter: Filter = partial ? { kind: 'and', all: [old, partial] } : old;
  const counters = { keysExamined: 0, docsExamined: 0 };
  const expired = [...scan(collection, planQuery(collection, filter), filter, counters, () => undefined)];
  for (const { id, bytes } of expired) collection.remove(id, decodeDocument(bytes));
  return expired.length;
}
