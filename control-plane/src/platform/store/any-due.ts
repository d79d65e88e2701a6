import type { Model, mongo, QueryFilter } from 'mongoose';
import { Gathered } from './gathered.js';
import { rowsOf } from './rows-of.js';

/**
 * Answers whether anything of a collection is due, for all sweeps that ask at the same time by one query: where nothing
 * is, as nearly always, it spares each of them its own. Each condition must have an index, as it is a branch of an `$or`.
 */
export class AnyDue<Row> {
  readonly #asks: Gathered<QueryFilter<Row>, boolean>;

  constructor(model: Model<Row>) {
    const rows = rowsOf(model);
    this.#asks = new Gathered(async (conditions) => {
      const found = await rows.findOne(
        { $or: [...conditions] as mongo.Document[] },
        { projection: { _id: 1 } },
      );
      return conditions.map(() => found !== null);
    });
  }

  /** Returns false only where no document matches; true may be for what another asked. */
  has(condition: QueryFilter<Row>): Promise<boolean> {
    return this.#asks.add(condition);
  }
}
