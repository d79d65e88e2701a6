import type { Model, mongo } from 'mongoose';
import { Gathered } from './gathered.js';
import type { Pace } from './pacer.js';
import { rowsOf } from './rows-of.js';
import type { TenantKey } from './tenant-scope.js';

/** An update of one document by which its maker takes it. */
export interface TakingUpdate<Row> {
  readonly filter: mongo.Filter<Row> & TenantKey;
  readonly update: mongo.UpdateFilter<Row>;
  /** Returns whether the document, as it is afterwards, was taken by this very update. */
  readonly isTaken: (row: Row) => boolean;
}

/**
 * Updates of one document each, whose makers go on with the document as it is afterwards. One alone is one command;
 * those that come at the same time are two.
 */
export class TakingUpdates<Row extends TenantKey> {
  readonly #updates: Gathered<TakingUpdate<Row>, Row | null>;

  /** `pace`: how often batches go out, where nobody waits for one. */
  constructor(model: Model<Row>, pace?: Pace) {
    const rows = rowsOf<Row>(model);
    this.#updates = new Gathered(async (items) => {
      const [only] = items;
      if (only && items.length === 1) {
        const row = await rows.findOneAndUpdate(only.filter, only.update, { returnDocument: 'after' });
        return [row as Row | null];
      }
      await rows.bulkWrite(
        items.map(({ filter, update }) => ({ updateOne: { filter, update } })),
        { ordered: false },
      );
      const ids = [...new Set(items.map(({ filter }) => filter._id))];
      const tenants = [...new Set(items.map(({ filter }) => filter.tenant_id))];
      const found = await rows
        .find({ tenant_id: { $in: tenants }, _id: { $in: ids } } as unknown as mongo.Filter<Row>, {
          batchSize: ids.length + 1,
        })
        .toArray();
      const byId = new Map(found.map((row) => [row._id as string, row as unknown as Row]));
      return items.map(({ filter, isTaken }) => {
        const row = byId.get(filter._id);
        return row !== undefined && isTaken(row) ? row : null;
      });
    }, pace);
  }

  /** Returns the document after the update; null where it was not made, or somebody else has taken it since. */
  take(update: TakingUpdate<Row>): Promise<Row | null> {
    return this.#updates.add(update);
  }
}
