import type { Connection, mongo } from 'mongoose';
import type { DocumentChange, Migration } from './migration.js';
import { keepProgress, type StepRow } from './migration-rows.js';

interface ChangeOptions {
  readonly store: Connection;
  /** Documents changed at a time. */
  readonly batchSize: number;
  /** Called before each batch; stops it by throwing. */
  readonly confirm: () => Promise<void>;
  /** Called after each batch. */
  readonly onProgress: () => void;
}

/** Changes the documents of a step, from where it was cut short on; a batch that was made twice changed nothing twice. */
export async function changeDocuments(
  { number, changes = [] }: Migration,
  begun: StepRow,
  options: ChangeOptions,
): Promise<void> {
  let { after, changed } = begun;
  for (const [position, change] of changes.entries()) {
    if (position < begun.change) continue;
    for (;;) {
      await options.confirm();
      const batch = await changeBatch(change, after, options);
      changed += batch.changed;
      const isLast = batch.last === undefined;
      after = isLast ? null : batch.last;
      await keepProgress(options.store, number, { change: isLast ? position + 1 : position, after, changed });
      options.onProgress();
      if (isLast) break;
    }
  }
}

/** Changes the next documents; `last`: the id of the last of them, undefined where there were no more. */
async function changeBatch(
  { collection, outdated, update }: DocumentChange,
  after: unknown,
  { store, batchSize }: ChangeOptions,
): Promise<{ readonly last: unknown; readonly changed: number }> {
  const rows = store.collection<mongo.Document>(collection);
  // Ids are of any type, which the driver's types have none for.
  const later = { _id: { $gt: after } } as mongo.Filter<mongo.Document>;
  const batch = await rows
    .find(after === null ? outdated : { $and: [later, outdated] }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(batchSize)
    .toArray();
  if (batch.length === 0) return { last: undefined, changed: 0 };
  const ids = batch.map(({ _id }) => _id);
  const { modifiedCount } = await rows.updateMany({ $and: [{ _id: { $in: ids } }, outdated] }, update);
  return { last: ids.at(-1), changed: modifiedCount };
}
