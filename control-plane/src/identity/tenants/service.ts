import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { type TenantRow, tenantModel } from './model.js';
import { NO_RETENTION, type RetentionSettings } from './retention-settings.js';

/** Runs for every tenant that is asked for by name, so that one which crashed half-made is completed. */
export type TenantHook = (tenant: TenantId) => Promise<void>;

interface TenantsServiceOptions {
  readonly store: Connection;
  readonly clock: Clock;
  /** Must be idempotent. */
  readonly onTenantCreated: TenantHook;
}

/** Tenants: one an account, the owner of everything else. */
export class TenantsService {
  readonly #tenants;
  readonly #options: TenantsServiceOptions;

  constructor(options: TenantsServiceOptions) {
    this.#tenants = tenantModel(options.store);
    this.#options = options;
  }

  async exists(id: TenantId): Promise<boolean> {
    return (await this.#tenants.exists({ _id: id })) !== null;
  }

  /** Returns the tenant of that name, made if there is none. */
  async ensure(name: string): Promise<TenantId> {
    const id = await this.#findOrCreate(name);
    await this.#options.onTenantCreated(id);
    return id;
  }

  /** Lists all tenants, newest first. */
  list(page: { readonly limit: number; readonly offset: number }): Promise<TenantRow[]> {
    return this.#tenants
      .find({})
      .sort({ created_at: -1, _id: -1 })
      .skip(page.offset)
      .limit(page.limit)
      .lean<TenantRow[]>()
      .exec();
  }

  find(tenant: string): Promise<TenantRow | null> {
    return this.#tenants.findOne({ _id: tenant }).lean<TenantRow>().exec();
  }

  /** Returns where the tenant is at home (ISO 3166-1 alpha-2); null where the operator has not said. */
  async countryOf(tenant: TenantId): Promise<string | null> {
    const row = await this.#tenants.findOne({ _id: tenant }, { country: 1 }).lean<TenantRow>().exec();
    return row?.country ?? null;
  }

  /** Returns the tenant; null where there is none. */
  setCountry(tenant: string, country: string | null): Promise<TenantRow | null> {
    return this.#tenants
      .findOneAndUpdate({ _id: tenant }, { $set: { country } }, { returnDocument: 'after' })
      .lean<TenantRow>()
      .exec();
  }

  /** Returns the label of where the tenant's calls are placed first; null where the operator has stated none. */
  async regionOf(tenant: TenantId): Promise<string | null> {
    const row = await this.#tenants.findOne({ _id: tenant }, { region: 1 }).lean<TenantRow>().exec();
    return row?.region ?? null;
  }

  /** Returns the tenant; null where there is none. */
  setRegion(tenant: string, region: string | null): Promise<TenantRow | null> {
    return this.#tenants
      .findOneAndUpdate({ _id: tenant }, { $set: { region } }, { returnDocument: 'after' })
      .lean<TenantRow>()
      .exec();
  }

  /** Changes what is given of how long the tenant's calls are kept; returns all of it. */
  async changeRetention(
    tenant: TenantId,
    given: Partial<RetentionSettings>,
    now: number,
  ): Promise<RetentionSettings> {
    const changed = Object.fromEntries(
      Object.entries({ ...NO_RETENTION, ...given }).map(([name, value]) => [`retention.${name}`, value]),
    );
    const names = Object.keys(given).map((name) => `retention.${name}`);
    // The first change writes all of it, any other one only what it is given.
    const first = await this.#tenants.updateOne({ _id: tenant, retention: null }, { $set: changed });
    if (first.matchedCount === 0 && names.length > 0) {
      const set = Object.fromEntries(names.map((name) => [name, changed[name]]));
      await this.#tenants.updateOne({ _id: tenant }, { $set: set });
    }
    const retention = (await this.find(tenant))?.retention ?? NO_RETENTION;
    const isKept = Object.values(retention).every((days) => days === null);
    await this.#tenants.updateOne(
      { _id: tenant },
      { $set: { retention_due_at: isKept ? null : new Date(now) } },
    );
    return retention;
  }

  /** Lists tenants whose calls are to be looked at, the longest due first. `now` in epoch ms. */
  retentionDue(limit: number, now: number): Promise<TenantRow[]> {
    return this.#tenants
      .find({ retention_due_at: { $gte: new Date(0), $lte: new Date(now) } })
      .sort({ retention_due_at: 1 })
      .limit(limit)
      .lean<TenantRow[]>()
      .exec();
  }

  /**
   * Notes that the calls of a tenant that was due were looked at, and when they are again, in epoch ms. Where its
   * settings were changed meanwhile, it stays due by those.
   */
  async retentionLooked(
    { _id, retention_due_at }: Pick<TenantRow, '_id' | 'retention_due_at'>,
    nextAt: number,
  ): Promise<void> {
    // Null where nothing is to be erased any more: such a tenant was not due.
    if (!retention_due_at) return;
    await this.#tenants.updateOne(
      { _id, retention_due_at },
      { $set: { retention_due_at: new Date(nextAt) } },
    );
  }

  /** Lists tenants among whose calls some may be to be archived: those never looked at, then the longest due. */
  async archiveDue(limit: number, now: number): Promise<TenantRow[]> {
    const fresh = await this.#tenants.find({ archive_due_at: null }).limit(limit).lean<TenantRow[]>();
    if (fresh.length === limit) return fresh;
    const due = await this.#tenants
      .find({ archive_due_at: { $lte: new Date(now) } })
      .sort({ archive_due_at: 1 })
      .limit(limit - fresh.length)
      .lean<TenantRow[]>();
    return [...fresh, ...due];
  }

  /** Notes that the tenant's calls were looked at, and when they are again, in epoch ms. */
  async archiveLooked(tenant: string, nextAt: number): Promise<void> {
    await this.#tenants.updateOne({ _id: tenant }, { $set: { archive_due_at: new Date(nextAt) } });
  }

  /** Returns the tenant's name; its id where it has none any more. */
  async nameOf(tenant: TenantId): Promise<string> {
    const row = await this.#tenants.findOne({ _id: tenant }).lean().exec();
    return row?.name ?? tenant;
  }

  async #findOrCreate(name: string): Promise<TenantId> {
    const known = await this.#tenants.findOne({ name }).lean().exec();
    if (known) return asTenantId(known._id);
    const id = newTenantId();
    try {
      await this.#tenants.insertOne({ _id: id, name, created_at: new Date(this.#options.clock.now()) });
      return id;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const made = await this.#tenants.findOne({ name }).lean().orFail().exec();
      return asTenantId(made._id);
    }
  }
}
