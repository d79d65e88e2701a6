import type { Model, mongo } from 'mongoose';
import { Gathered } from './gathered.js';
import type { Pace } from './pacer.js';
import { rowsOf } from './rows-of.js';
import type { TenantKey } from './tenant-scope.js';

interface OneUpdate<Row> {
  readonly filter: mongo.Filter<Row> & TenantKey;
  readonly update: mongo.UpdateFilter<Row>;
}

/** Updates of one document each, of which nobody asks whether they were made: at the same time they are one command. */
export class GatheredUpdates<Row extends TenantKey> {
  readonly #updates: Gathered<OneUpdate<Row>, undefined>;

  /** `pace`: how often batches go out, where nobody waits for one. */
  constructor(model: Model<Row>, pace?: Pace) {
    const rows = rowsOf<Row>(model);
    this.#updates = new Gathered(async (items) => {
      await rows.bulkWrite(
        items.map((updateOne) => ({ updateOne })),
        { ordered: false },
      );
      return items.map(() => undefined);
    }, pace);
  }

  /** Resolves when it is written, if the filter finds the document. */
  async make(filter: mongo.Filter<Row> & TenantKey, update: mongo.UpdateFilter<Row>): Promise<void> {
    await this.#updates.add({ filter, update });
  }
}
