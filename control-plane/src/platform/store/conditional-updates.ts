import type { Model, mongo } from 'mongoose';
import { Gathered } from './gathered.js';

/** An update of one document, made only where its filter still holds. */
export interface ConditionalUpdate<Row> {
  readonly filter: mongo.Filter<Row>;
  readonly update: mongo.UpdateFilter<Row>;
  /** Holds after this very update, and after no other. */
  readonly applied: mongo.Filter<Row>;
}

/** Conditional updates that come at the same time are one command; each learns whether it was made. */
export class ConditionalUpdates<Row extends { _id: string }> {
  readonly #updates: Gathered<ConditionalUpdate<Row>, boolean>;

  constructor(model: Model<Row>) {
    const rows = model.collection as unknown as mongo.Collection<Row>;
    this.#updates = new Gathered(async (items) => {
      const { matchedCount } = await rows.bulkWrite(
        items.map(({ filter, update }) => ({ updateOne: { filter, update } })),
        { ordered: false },
      );
      if (matchedCount === items.length) return items.map(() => true);
      if (matchedCount === 0) return items.map(() => false);
      // The command only counts; which ones were made is seen by what they left.
      return Promise.all(items.map(async ({ applied }) => (await rows.countDocuments(applied)) > 0));
    });
  }

  /** Returns whether the update was made. */
  make(update: ConditionalUpdate<Row>): Promise<boolean> {
    return this.#updates.add(update);
  }
}
