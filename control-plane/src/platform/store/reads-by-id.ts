import type { Model, mongo } from 'mongoose';
import { Gathered } from './gathered.js';

/**
 * Reads documents by id; reads that come at the same time are one query. Readers that ask for the same
 * document at the same time gets the same object: it is not to be changed.
 */
export class ReadsById<Row extends { _id: string }> {
  readonly #reads: Gathered<string, Row | null>;

  /** `without`: fields that are not read. */
  constructor(model: Model<Row>, without: readonly (keyof Row & string)[] = []) {
    // The driver itself: this runs for every request, and mongoose's queries cost as much as the rest of it.
    const rows = model.collection as unknown as mongo.Collection<{ _id: string }>;
    const projection = Object.fromEntries(without.map((field) => [field, 0]));
    this.#reads = new Gathered(async (ids) => {
      const found = await rows
        .find({ _id: { $in: [...new Set(ids)] } }, { projection, batchSize: ids.length + 1 })
        .toArray();
      const byId = new Map(found.map((row) => [row._id, row as Row]));
      return ids.map((id) => byId.get(id) ?? null);
    });
  }

  get(id: string): Promise<Row | null> {
    return this.#reads.add(id);
  }
}
