import type { Model, mongo } from 'mongoose';
import { Gathered } from './gathered.js';
import { rowsOf } from './rows-of.js';

/** The most documents that one answer of the store brings. */
const BATCH_SIZE = 1000;

interface ReadsByKeyOptions<Row, Key extends keyof Row, Field extends keyof Row> {
  readonly model: Model<Row>;
  /** The field by whose value a tenant's documents are asked for: an index leads with it. */
  readonly key: Key;
  /** What all of them have besides. */
  readonly where?: mongo.Filter<Row>;
  /** The fields that are read beside that one; all of them by default. */
  readonly fields?: readonly Field[];
  /** The order of those of one value. */
  readonly sort?: Readonly<Record<string, 1 | -1>>;
}

type Found<Row extends { tenant_id: string }, Field extends keyof Row> = Pick<Row, Field | 'tenant_id'>;

interface Asked<Value> {
  readonly tenant: string;
  readonly value: Value;
}

/**
 * Reads the documents of a tenant that have a value in a field; reads that come at the same time are one query.
 * Readers that ask for the same value at the same time get the same objects: they are not to be changed.
 */
export class ReadsByKey<
  Row extends { tenant_id: string },
  Key extends keyof Row & string,
  Field extends keyof Row & string = keyof Row & string,
> {
  readonly #reads: Gathered<Asked<Row[Key]>, readonly Found<Row, Key | Field>[]>;

  constructor({ model, key, where = {}, fields, sort = {} }: ReadsByKeyOptions<Row, Key, Field>) {
    const rows = rowsOf(model);
    const projection = fields && {
      _id: 0,
      ...Object.fromEntries([key, 'tenant_id', ...fields].map((field) => [field, 1])),
    };
    this.#reads = new Gathered<Asked<Row[Key]>, readonly Found<Row, Key | Field>[]>(async (asked) => {
      const found = await rows
        .find(
          {
            ...(where as object),
            tenant_id: { $in: [...new Set(asked.map(({ tenant }) => tenant))] },
            [key]: { $in: [...new Set(asked.map(({ value }) => value))] },
          },
          { batchSize: BATCH_SIZE, ...(projection && { projection }) },
        )
        .sort({ [key]: 1, ...sort })
        .toArray();
      const byValue = new Map<Row[Key], Found<Row, Key | Field>[]>();
      for (const row of found as unknown as Found<Row, Key | Field>[]) {
        const others = byValue.get(row[key]);
        if (others) others.push(row);
        else byValue.set(row[key], [row]);
      }
      return asked.map(({ tenant, value }) =>
        (byValue.get(value) ?? []).filter(({ tenant_id }) => tenant_id === tenant),
      );
    });
  }

  get(tenant: string, value: Row[Key]): Promise<readonly Found<Row, Key | Field>[]> {
    return this.#reads.add({ tenant, value });
  }
}
