import { ownedBy, scopeName, type TenantScope } from '../store/tenant-scope.js';
import type { RollupChange } from './model.js';

/** Returns the update by which a row takes what a batch adds to it, unless it has seen the batch's number. */
export function rowUpdate(scope: TenantScope, seq: number, { subject, subject_id, day, add }: RollupChange) {
  const _id = `${scopeName(scope)}/${subject}/${subject_id}/${new Date(day).toISOString().slice(0, 10)}`;
  const sums = Object.entries(add).map(([name, value]) => [`sums.${name}`, value]);
  return {
    filter: { _id, ...ownedBy(scope), seq: { $lt: seq } },
    update: {
      $set: { seq },
      ...(sums.length > 0 ? { $inc: Object.fromEntries(sums) as Record<string, number> } : {}),
      $setOnInsert: { subject, subject_id, day: new Date(day) },
    },
    upsert: true,
  };
}
