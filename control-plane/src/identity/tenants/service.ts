import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { type TenantRow, tenantModel } from './model.js';

/** Runs for every tenant that is asked for by name, so that one which crashed half-made is completed. */
export type TenantHook = (tenant: TenantId) => Promise<void>;

/** Tenants: one an account, the owner of everything else. */
export class TenantsService {
  readonly #tenants;
  readonly #clock: Clock;
  readonly #onTenantCreated: TenantHook;

  /** `onTenantCreated` must be idempotent. */
  constructor(store: Connection, clock: Clock, onTenantCreated: TenantHook) {
    this.#tenants = tenantModel(store);
    this.#clock = clock;
    this.#onTenantCreated = onTenantCreated;
  }

  async exists(id: TenantId): Promise<boolean> {
    return (await this.#tenants.exists({ _id: id })) !== null;
  }

  /** Returns the tenant of that name, made if there is none. */
  async ensure(name: string): Promise<TenantId> {
    const id = await this.#findOrCreate(name);
    await this.#onTenantCreated(id);
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
      await this.#tenants.insertOne({ _id: id, name, created_at: new Date(this.#clock.now()) });
      return id;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const made = await this.#tenants.findOne({ name }).lean().orFail().exec();
      return asTenantId(made._id);
    }
  }
}
