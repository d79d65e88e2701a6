import type { Model, mongo } from 'mongoose';
import { Gathered } from './gathered.js';

/** The most documents that one answer of the store brings. */
const BATCH_SIZE = 1000;

interface ReadsByKeyOptions<Row, Key extends keyof Row> {
  readonly model: Model<Row>;
  /** The field by whose value documents are asked for: an index leads with it. */
  readonly key: Key;
  /** What all of them have besides. */
  readonly where?: mongo.Filter<Row>;
  /** The order of those of one value. */
  readonly sort?: Readonly<Record<string, 1 | -1>>;
}

/**
 * Reads the documents that have a value in a field; reads that come at the same time are one query. Readers that ask
 * for the same value at the same time get the same objects: they are not to be changed.
 */
export class ReadsByKey<Row, Key extends keyof Row & string> {
  readonly #reads: Gathered<Row[Key], readonly Row[]>;

  constructor({ model, key, where = {}, sort = {} }: ReadsByKeyOptions<Row, Key>) {
    const rows = model.collection as unknown as mongo.Collection;
    this.#reads = new Gathered<Row[Key], readonly Row[]>(async (values) => {
      const found = await rows
        .find({ ...(where as object), [key]: { $in: [...new Set(values)] } }, { batchSize: BATCH_SIZE })
        .sort({ [key]: 1, ...sort })
        .toArray();
      const byValue = new Map<Row[Key], Row[]>();
      for (const row of found as unknown as Row[]) {
        const others = byValue.get(row[key]);
        if (others) others.push(row);
        else byValue.set(row[key], [row]);
      }
      return values.map((value) => byValue.get(value) ?? []);
    });
  }

  get(value: Row[Key]): Promise<readonly Row[]> {
    return this.#reads.add(value);
  }
}
