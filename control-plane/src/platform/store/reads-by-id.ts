import type { Model } from 'mongoose';
import { Gathered } from './gathered.js';
import { allBut, only } from './projections.js';
import { rowsOf } from './rows-of.js';
import type { TenantKey } from './tenant-scope.js';

/** Reads documents by a filter. */
type ReadMany<Row> = (filter: object, most: number) => Promise<Map<string, Row>>;

function readsOf<Row extends { _id: string }>(
  model: Model<Row>,
  projection: Readonly<Record<string, number>>,
): ReadMany<Row> {
  // The driver itself: this runs for every request, and mongoose's queries cost as much as the rest of it.
  const rows = rowsOf<{ _id: string }>(model);
  return async (filter, most) => {
    const found = await rows.find(filter, { projection, batchSize: most + 1 }).toArray();
    return new Map(found.map((row) => [row._id, row as Row]));
  };
}

const distinct = (values: readonly string[]) => ({ $in: [...new Set(values)] });

/**
 * Reads documents of no tenant by id; reads that come at the same time are one query. Readers that ask for the same
 * document at the same time get the same object: it is not to be changed.
 */
export class ReadsById<Row extends { _id: string; tenant_id?: never }> {
  readonly #reads: Gathered<string, Row | null>;

  /** `without`: fields that are not read. */
  constructor(model: Model<Row>, without: readonly (keyof Row & string)[] = []) {
    const read = readsOf(model, allBut(without));
    this.#reads = new Gathered(async (ids) => {
      const byId = await read({ _id: distinct(ids) }, ids.length);
      return ids.map((id) => byId.get(id) ?? null);
    });
  }

  get(id: string): Promise<Row | null> {
    return this.#reads.add(id);
  }
}

/** What is read of a document: all fields but some, or some alone; `tenant_id` is among them. */
type FieldsRead<Row, Read> =
  | readonly Exclude<keyof Row & string, 'tenant_id'>[]
  | { readonly only: readonly (keyof Row & keyof Read & string)[] };

/** The same for documents of tenants, which are read by tenant and id. */
export class ReadsByTenantAndId<Row extends Read, Read extends TenantKey = Row> {
  readonly #reads: Gathered<TenantKey, Read | null>;
  readonly #readsOfAny: Gathered<string, Read | null>;

  /** `fields`: those that are not read, or `only` those that are. */
  constructor(model: Model<Row>, fields: FieldsRead<Row, Read> = []) {
    const read = readsOf<Read>(
      model as unknown as Model<Read>,
      'only' in fields ? only(fields.only) : allBut(fields),
    );
    this.#reads = new Gathered(async (keys) => {
      const byId = await read(
        {
          tenant_id: distinct(keys.map(({ tenant_id }) => tenant_id)),
          _id: distinct(keys.map(({ _id }) => _id)),
        },
        keys.length,
      );
      return keys.map(({ _id, tenant_id }) => {
        const row = byId.get(_id);
        return row?.tenant_id === tenant_id ? row : null;
      });
    });
    this.#readsOfAny = new Gathered(async (ids) => {
      const byId = await read({ _id: distinct(ids) }, ids.length);
      return ids.map((id) => byId.get(id) ?? null);
    });
  }

  /** Returns the document; null where there is none, or it is another tenant's. */
  get(tenant: string, id: string): Promise<Read | null> {
    return this.#reads.add({ _id: id, tenant_id: tenant });
  }

  /** Reads a document whose tenant is not known, such as a call that a worker names: a sharded store asks all shards. */
  getOfAnyTenant(id: string): Promise<Read | null> {
    return this.#readsOfAny.add(id);
  }
}
