import type { Model } from 'mongoose';
import { Gathered } from './gathered.js';
import { insertMissing } from './insert-missing.js';

/** Inserts that come at the same time are one command; each learns whether its document is new. */
export class GatheredInserts<Row extends { _id: string }> {
  readonly #inserts: Gathered<Row, boolean>;

  constructor(model: Model<Row>) {
    this.#inserts = new Gathered(async (rows) => {
      const added = new Set(await insertMissing(model, rows));
      return rows.map((row) => added.has(row));
    });
  }

  /**
   * Inserts a document. Returns false when one with one of its unique keys is there already; that one stays as it is.
   */
  insert(row: Row): Promise<boolean> {
    return this.#inserts.add(row);
  }
}
