import type { TenantId } from '@voice/shared/ids/ids';
import type { Model, QueryFilter } from 'mongoose';
import { ReadsById } from './reads-by-id.js';

/** What every document that belongs to a tenant has. */
export interface TenantOwned {
  _id: string;
  tenant_id: string;
}

/** A filter that says nothing of the tenant: that is said by the first argument of every method. */
type Filter<Row> = QueryFilter<Row> & { tenant_id?: never };

interface Page {
  readonly sort: Readonly<Record<string, 1 | -1>>;
  readonly skip?: number;
  readonly limit: number;
}

/**
 * A collection seen by one tenant at a time. Every method asks for the tenant first, so that a query
 * that forgets it does not compile, and one that names another tenant neither.
 */
export class TenantCollection<Row extends TenantOwned> {
  readonly #model: Model<Row>;
  readonly #byId: ReadsById<Row>;

  constructor(model: Model<Row>) {
    this.#model = model;
    this.#byId = new ReadsById(model);
  }

  /** The document, which is not to be changed; reads at the same time are one query. */
  async get(tenant: TenantId, id: string): Promise<Row | null> {
    const row = await this.#byId.get(id);
    return row?.tenant_id === tenant ? row : null;
  }

  findOne(tenant: TenantId, filter: Filter<Row>): Promise<Row | null> {
    return this.#model.findOne(owned(tenant, filter)).lean<Row | null>().exec();
  }

  findPage(tenant: TenantId, filter: Filter<Row>, { sort, skip = 0, limit }: Page): Promise<Row[]> {
    return this.#model.find(owned(tenant, filter)).sort(sort).skip(skip).limit(limit).lean<Row[]>().exec();
  }

  count(tenant: TenantId, filter: Filter<Row>): Promise<number> {
    return this.#model.countDocuments(owned(tenant, filter)).exec();
  }

  /** Throws MongoDB's 11000 when a unique index refuses it (`isDuplicateKey`). */
  async insert(tenant: TenantId, row: Omit<Row, 'tenant_id'>): Promise<void> {
    await this.#model.insertMany([{ ...row, tenant_id: tenant }]);
  }

  /** Replaces the document that the filter finds; false when it finds none. */
  async replace(tenant: TenantId, filter: Filter<Row>, row: Row): Promise<boolean> {
    const { matchedCount } = await this.#model
      .replaceOne(owned(tenant, filter), { ...row, tenant_id: tenant })
      .exec();
    return matchedCount === 1;
  }

  /** Deletes the document that the filter finds; false when it finds none. */
  async delete(tenant: TenantId, filter: Filter<Row>): Promise<boolean> {
    const { deletedCount } = await this.#model.deleteOne(owned(tenant, filter)).exec();
    return deletedCount === 1;
  }
}

function owned<Row>(tenant: TenantId, filter: Filter<Row>): QueryFilter<Row> {
  return { ...filter, tenant_id: tenant } as QueryFilter<Row>;
}
