import type { TenantId } from '@voice/shared/ids/ids';
import type { Model, mongo, QueryFilter } from 'mongoose';
import { allBut } from './projections.js';
import { ReadsByTenantAndId } from './reads-by-id.js';
import { rowsOf } from './rows-of.js';
import { isOwnedBy, ownedBy, type ScopeOwned, type TenantScope } from './tenant-scope.js';

/** What every document that belongs to a tenant, whatever the mode, has. What has a mode is refused by the type. */
export interface TenantOwned {
  _id: string;
  tenant_id: string;
  sandbox?: never;
}

interface Owned {
  _id: string;
  tenant_id: string;
}

/** A filter that says nothing of the owner: that is said by the first argument of every method. */
type Filter<Row> = QueryFilter<Row> & { tenant_id?: never; sandbox?: never };

interface Page {
  readonly sort: Readonly<Record<string, 1 | -1>>;
  readonly skip?: number;
  readonly limit: number;
}

interface OwnedCollectionOptions<Row, Owner> {
  readonly model: Model<Row>;
  /** What an owner's documents have, and a new one is given. */
  readonly owned: (owner: Owner) => Readonly<Record<string, unknown>> & { readonly tenant_id: string };
  readonly isOwned: (owner: Owner, row: Row) => boolean;
}

/** A field that is not there stays away, where the driver would store null. */
const WITHOUT_UNDEFINED = { ignoreUndefined: true } as const;

/** A collection seen by one owner at a time. */
abstract class OwnedCollection<Row extends Owned, Owner> {
  readonly #options: OwnedCollectionOptions<Row, Owner>;
  readonly #model: Model<Row>;
  /**
   * The driver itself: rows and filters are typed and come checked, and mongoose's queries and documents cost as much
   * as the rest of a request.
   */
  readonly #rows: mongo.Collection<Owned>;
  readonly #byId: ReadsByTenantAndId<Row>;

  constructor(options: OwnedCollectionOptions<Row, Owner>) {
    this.#options = options;
    this.#model = options.model;
    this.#rows = rowsOf<Owned>(options.model);
    this.#byId = new ReadsByTenantAndId(options.model);
  }

  /** Returns the document, which is not to be changed; reads at the same time are one query. */
  async get(owner: Owner, id: string): Promise<Row | null> {
    const row = await this.#byId.get(this.#options.owned(owner).tenant_id, id);
    return row !== null && this.#options.isOwned(owner, row) ? row : null;
  }

  async findOne(owner: Owner, filter: Filter<Row>): Promise<Row | null> {
    return (await this.#rows.findOne(this.#owned(owner, filter))) as Row | null;
  }

  async findPage(owner: Owner, filter: Filter<Row>, { sort, skip = 0, limit }: Page): Promise<Row[]> {
    return (await this.#rows.find(this.#owned(owner, filter), { sort, skip, limit }).toArray()) as Row[];
  }

  /** Finds a page of which one field, a large one, is not read. */
  async findPageWithout<Field extends keyof Row & string>(
    owner: Owner,
    field: Field,
    filter: Filter<Row>,
    { sort, limit }: Omit<Page, 'skip'>,
  ): Promise<Omit<Row, Field>[]> {
    const found = this.#rows.find(this.#owned(owner, filter), { sort, limit, projection: allBut([field]) });
    return (await found.toArray()) as unknown as Omit<Row, Field>[];
  }

  /** Counts what the filter finds; stops at `limit` where one is given. */
  count(owner: Owner, filter: Filter<Row>, limit?: number): Promise<number> {
    return this.#model
      .countDocuments(this.#owned(owner, filter), limit === undefined ? {} : { limit })
      .exec();
  }

  /** Throws MongoDB's 11000 when a unique index refuses it (`isDuplicateKey`). */
  async insert(owner: Owner, row: Omit<Row, 'tenant_id' | 'sandbox'>): Promise<void> {
    await this.#rows.insertOne({ ...row, ...this.#options.owned(owner) } as Row, WITHOUT_UNDEFINED);
  }

  /** Sets fields of the document that the filter finds; the document after it, null when it finds none. */
  set(owner: Owner, filter: Filter<Row>, fields: Partial<Row>): Promise<Row | null> {
    return this.#model
      .findOneAndUpdate(this.#owned(owner, filter), { $set: fields }, { returnDocument: 'after' })
      .lean<Row | null>()
      .exec();
  }

  /** Replaces the document that the filter finds; false when it finds none. */
  async replace(owner: Owner, filter: Filter<Row>, row: Row): Promise<boolean> {
    const { matchedCount } = await this.#rows.replaceOne(
      this.#owned(owner, filter),
      { ...row, ...this.#options.owned(owner) },
      WITHOUT_UNDEFINED,
    );
    return matchedCount === 1;
  }

  /** Deletes the document that the filter finds; false when it finds none. */
  async delete(owner: Owner, filter: Filter<Row>): Promise<boolean> {
    const { deletedCount } = await this.#rows.deleteOne(this.#owned(owner, filter));
    return deletedCount === 1;
  }

  #owned(owner: Owner, filter: Filter<Row>): mongo.Filter<Owned> {
    return { ...filter, ...this.#options.owned(owner) } as mongo.Filter<Owned>;
  }
}

/**
 * A collection seen by one tenant at a time. Every method asks for the tenant first, so that a query
 * that forgets it does not compile, and one that names another tenant neither.
 */
export class TenantCollection<Row extends TenantOwned> extends OwnedCollection<Row, TenantId> {
  constructor(model: Model<Row>) {
    super({
      model,
      owned: (tenant) => ({ tenant_id: tenant }),
      isOwned: (tenant, row) => row.tenant_id === tenant,
    });
  }
}

/** The same for what belongs to a mode: every method asks for tenant and mode. */
export class ScopedCollection<Row extends ScopeOwned> extends OwnedCollection<Row, TenantScope> {
  constructor(model: Model<Row>) {
    super({ model, owned: ownedBy, isOwned: isOwnedBy });
  }
}
