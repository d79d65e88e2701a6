import {
  PROVIDER_CATALOGUE,
  PROVIDER_KINDS,
  VENDOR_NAMES,
  type Vendor,
} from '@voice/shared/catalogue/providers';
import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import type { Config, VendorAccess } from '../../config.js';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { WHOLE_LIST } from '../../platform/http/whole-list.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { TenantCollection } from '../../platform/store/tenant-collection.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { VendorHttp } from '../../platform/vendor-http.js';
import { checkKey, type KeyVerdict } from './key-check.js';
import { type VendorKeysRow, vendorKeysModel } from './model.js';
import {
  type ChangedBy,
  type HeldKeys,
  type Keyring,
  keyring,
  NO_KEYS,
  type VendorKeysRecord,
  vendorKeysRecord,
  withKey,
  withoutKey,
} from './record.js';
import type { VendorKey, VendorKeyCheck, VendorKeyListResponse } from './schemas.js';

/** Changes of one tenant's keys at the same time are tried again this often before the client gets an error. */
const CHANGE_ATTEMPTS = 10;

/** On whose accounts something of a tenant runs. */
export interface TenantAccount {
  readonly tenant: TenantId;
  /** The vendors whose account is the tenant's own. */
  readonly own_vendors?: readonly string[] | undefined;
}

/** Returns how every vendor is reached on a tenant's accounts. */
export type AccountsOf = (account: TenantAccount) => Promise<Config['vendors']>;

export interface VendorKeysOptions {
  readonly store: Connection;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly http: Pick<VendorHttp, 'send'>;
  /** The installation's accounts. */
  readonly vendors: Config['vendors'];
  readonly log: Log;
}

/** Tenants' own keys at the vendors of providers, used before the installation's. */
export class VendorKeys {
  readonly #rows;
  readonly #options: VendorKeysOptions;

  constructor(options: VendorKeysOptions) {
    this.#rows = new TenantCollection(vendorKeysModel(options.store));
    this.#options = options;
  }

  /** Returns the vendors that the tenant has a key of its own for. */
  async ownVendors(tenant: TenantId): Promise<Vendor[]> {
    const { held } = recordOf(await this.#rows.get(tenant, tenant));
    return VENDOR_NAMES.filter((vendor) => held[vendor] !== undefined);
  }

  /**
   * Returns how every vendor is reached on these accounts. What began on the tenant's own key is never continued on
   * the installation's: once the key is deleted, there is none.
   */
  async accounts({ tenant, own_vendors: own = [] }: TenantAccount): Promise<Config['vendors']> {
    const { vendors } = this.#options;
    if (own.length === 0) return vendors;
    const keys = this.#keysOf(tenant, await this.#rows.get(tenant, tenant));
    const accountOf = (vendor: Vendor): VendorAccess =>
      own.includes(vendor) ? onKey(vendors[vendor], keys[vendor]) : vendors[vendor];
    return Object.fromEntries(VENDOR_NAMES.map((vendor) => [vendor, accountOf(vendor)])) as Config['vendors'];
  }

  /** Returns how the vendor is reached for the tenant: with its own key, else with the installation's. */
  async account(tenant: TenantId, vendor: Vendor): Promise<VendorAccess> {
    const apiKey = this.#keysOf(tenant, await this.#rows.get(tenant, tenant))[vendor];
    const installation = this.#options.vendors[vendor];
    return apiKey === undefined ? installation : onKey(installation, apiKey);
  }

  async list(scope: TenantScope): Promise<VendorKeyListResponse> {
    const record = recordOf(await this.#rows.get(scope.tenant, scope.tenant));
    const changes = scope.sandbox ? [] : record.changes;
    return {
      vendor_keys: VENDOR_NAMES.map((vendor) => this.#present(vendor, record, scope.sandbox)),
      changes: changes.map(({ provider, action, at, key_id, user_id }) => ({
        provider,
        action,
        at: new Date(at).toISOString(),
        by: { key_id, user_id },
      })),
      ...WHOLE_LIST,
    };
  }

  async get({ tenant, sandbox }: TenantScope, vendor: Vendor): Promise<VendorKey> {
    return this.#present(vendor, recordOf(await this.#rows.get(tenant, tenant)), sandbox);
  }

  /** Saves the key once the vendor has taken it. Throws `vendor_key_refused` and `vendor_unavailable`. */
  async set(
    tenant: TenantId,
    vendor: Vendor,
    { apiKey, verify }: { readonly apiKey: string; readonly verify: boolean },
    by: ChangedBy,
  ): Promise<VendorKey> {
    const { clock, http, vendors } = this.#options;
    const verdict = verify ? await checkKey(http, vendor, onKey(vendors[vendor], apiKey)) : null;
    if (verdict) requireTaken(vendor, verdict);
    const now = clock.now();
    const checkedAt = verdict?.health === 'healthy' ? now : null;
    const record = await this.#change(tenant, (held) =>
      withKey(held, { provider: vendor, by, now }, { apiKey, checkedAt }),
    );
    this.#note(tenant, vendor, by, record.changes[0]?.action ?? 'set');
    return this.#present(vendor, record, false);
  }

  /** Throws `vendor_key_not_found`. */
  async delete(tenant: TenantId, vendor: Vendor, by: ChangedBy): Promise<void> {
    await this.#change(tenant, (held) => {
      if (!held.record.held[vendor]) throw apiError('vendor_key_not_found');
      return withoutKey(held, { provider: vendor, by, now: this.#options.clock.now() });
    });
    this.#note(tenant, vendor, by, 'deleted');
  }

  /** Asks the vendor whether it still takes the tenant's key. Throws `vendor_key_not_found`. */
  async check(tenant: TenantId, vendor: Vendor): Promise<VendorKeyCheck> {
    const { clock, http, vendors } = this.#options;
    const apiKey = this.#keysOf(tenant, await this.#rows.get(tenant, tenant))[vendor];
    if (apiKey === undefined) throw apiError('vendor_key_not_found');
    const { health, detail } = await checkKey(http, vendor, onKey(vendors[vendor], apiKey));
    const now = clock.now();
    if (health === 'healthy') await this.#noteChecked(tenant, vendor, apiKey, now);
    return { provider: vendor, health, detail, checked_at: new Date(now).toISOString() };
  }

  /** Notes that the vendor took the key, unless it is another one by now. */
  async #noteChecked(tenant: TenantId, vendor: Vendor, apiKey: string, now: number): Promise<void> {
    await this.#change(tenant, ({ record, keys }) => {
      const entry = record.held[vendor];
      if (!entry || keys[vendor] !== apiKey) return { record, keys };
      return {
        keys,
        record: { ...record, held: { ...record.held, [vendor]: { ...entry, checked_at: now } } },
      };
    });
  }

  /** Read, decide, write if nobody wrote in between. */
  async #change(tenant: TenantId, decide: (held: HeldKeys) => HeldKeys): Promise<VendorKeysRecord> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
      const row = await this.#rows.findOne(tenant, { _id: tenant });
      const { record, keys } = decide({ record: recordOf(row), keys: this.#keysOf(tenant, row) });
      const next: VendorKeysRow = {
        _id: tenant,
        tenant_id: tenant,
        keys: this.#options.secrets.seal(purpose(tenant), JSON.stringify(keys)),
        record: JSON.stringify(record),
        revision: (row?.revision ?? 0) + 1,
        updated_at: new Date(this.#options.clock.now()),
      };
      if (row) {
        if (await this.#rows.replace(tenant, { _id: tenant, revision: row.revision }, next)) return record;
        continue;
      }
      try {
        await this.#rows.insert(tenant, next);
        return record;
      } catch (error) {
        // The tenant's first two keys at the same moment.
        if (!isDuplicateKey(error)) throw error;
      }
    }
    throw apiError('conflict', undefined, { retryable: true, retryAfterSeconds: 1 });
  }

  #keysOf(tenant: TenantId, row: VendorKeysRow | null): Keyring {
    if (!row) return {};
    return keyring.parse(JSON.parse(this.#options.secrets.open(purpose(tenant), row.keys)));
  }

  #present(vendor: Vendor, record: VendorKeysRecord, sandbox: boolean): VendorKey {
    const held = record.held[vendor];
    const { apiKey } = this.#options.vendors[vendor];
    const at = (time: number | null | undefined) => (time == null ? null : new Date(time).toISOString());
    return {
      provider: vendor,
      kinds: PROVIDER_KINDS.filter((kind) =>
        PROVIDER_CATALOGUE.some((entry) => entry.vendor === vendor && entry.kind === kind),
      ),
      set: held !== undefined,
      last_four: sandbox ? null : (held?.last_four ?? null),
      checked_at: at(held?.checked_at),
      changed_at: at(held?.changed_at),
      changed_by: held && !sandbox ? { key_id: held.key_id, user_id: held.user_id } : null,
      account: held ? 'tenant' : apiKey === undefined ? null : 'installation',
    };
  }

  #note(tenant: TenantId, vendor: Vendor, { keyId, userId }: ChangedBy, action: string): void {
    this.#options.log.info({ tenant, vendor, action, by: keyId, user_id: userId }, 'vendor key changed');
  }
}

const purpose = (tenant: TenantId) => `tenants/${tenant}/vendor-keys`;

function recordOf(row: Pick<VendorKeysRow, 'record'> | null): VendorKeysRecord {
  return row ? vendorKeysRecord.parse(JSON.parse(row.record)) : NO_KEYS;
}

/** Returns the account with another key: what the installation sets of addresses and models holds for all. */
function onKey({ apiKey: _installations, ...rest }: VendorAccess, apiKey: string | undefined): VendorAccess {
  return apiKey === undefined ? rest : { ...rest, apiKey };
}

function requireTaken(vendor: Vendor, { health, detail }: KeyVerdict): void {
  if (health === 'refused') {
    throw apiError('vendor_key_refused', `${vendor} does not take the key: ${detail}`, {
      fields: { provider: vendor },
    });
  }
  if (health === 'unreachable') {
    throw apiError(
      'vendor_unavailable',
      `${vendor} could not be asked whether it takes the key: ${detail} Try again, or save it with "verify": false.`,
      { fields: { provider: vendor }, retryable: true },
    );
  }
}
