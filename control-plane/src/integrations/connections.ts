import type { Clock } from '@voice/shared/clock/clock';
import { derivedId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import { apiError } from '../platform/http/error-codes.js';
import { isDuplicateKey } from '../platform/http/errors.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { TenantCollection } from '../platform/store/tenant-collection.js';
import { VendorFailure } from '../platform/vendor-http.js';
import type { Credentials, OAuthCredentials } from './adapter.js';
import { type ConnectionRow, connectionModel } from './model.js';

/** Tokens are renewed this long before they expire, in ms. */
const REFRESH_AHEAD_MS = 2 * 60_000;
/** A token that lives for less is not used while another replica renews it, in ms. */
const USABLE_MS = 5000;
/** One replica renews at a time; after this it is taken for dead, in ms. More than a request may take. */
const REFRESH_LEASE_MS = 30_000;
/**
 * How long no new tokens are asked for after a vendor gave none, in ms, for every use of every call would ask: after a
 * refusal, which lasts, and after a fault, which is soon over.
 */
const REFUSED_PAUSE_MS = 30_000;
const FAULT_PAUSE_MS = 2000;
const POLL_MS = 100;
const MAX_POLLS = 120;
/** Changes of one connection at the same time are tried again this often before the client gets an error. */
const CHANGE_ATTEMPTS = 10;
const MAX_CONFIG_CHARACTERS = 16_384;

export const oauthCredentials = z.object({
  kind: z.literal('oauth'),
  access_token: z.string(),
  refresh_token: z.string().nullable(),
  expires_at: z.number().nullable(),
  instance_url: z.string().nullable(),
});
const credentialsText = z.discriminatedUnion('kind', [
  oauthCredentials,
  z.object({ kind: z.literal('api_key'), fields: z.record(z.string(), z.string()) }),
]);
const configText = z.record(z.string(), z.unknown());

export interface OpenConnection {
  readonly credentials: Credentials;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Asks the vendor for new tokens; throws `VendorFailure`. */
type Refresh = (slug: string, old: OAuthCredentials) => Promise<OAuthCredentials>;

export interface TokenOptions {
  /** One that the vendor did not take, to be renewed whatever its age. */
  readonly refused?: OAuthCredentials;
  /** Asks for new tokens even if the vendor has just given none. */
  readonly ignorePause?: boolean;
}

interface ConnectionsOptions {
  readonly store: Connection;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly refresh: Refresh;
}

/** Tenants' connections, with tokens that are renewed before they expire, by one replica at a time. */
export class Connections {
  readonly #rows;
  readonly #options: ConnectionsOptions;

  constructor(options: ConnectionsOptions) {
    this.#rows = new TenantCollection(connectionModel(options.store));
    this.#options = options;
  }

  list(tenant: TenantId): Promise<ConnectionRow[]> {
    return this.#rows.findPage(tenant, {}, { sort: { slug: 1 }, limit: 100 });
  }

  find(tenant: TenantId, slug: string): Promise<ConnectionRow | null> {
    return this.#rows.findOne(tenant, { _id: idOf(tenant, slug) });
  }

  /** Connects, or connects anew: settings stay. */
  async save(
    tenant: TenantId,
    slug: string,
    credentials: Credentials,
    account: string | null,
  ): Promise<ConnectionRow> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
      const now = new Date(this.#options.clock.now());
      const row = await this.find(tenant, slug);
      const next: ConnectionRow = {
        _id: idOf(tenant, slug),
        tenant_id: tenant,
        slug,
        credentials: this.#seal(tenant, slug, credentials),
        account,
        config: row?.config ?? '{}',
        broken: false,
        ...REFRESHED,
        revision: (row?.revision ?? 0) + 1,
        connected_at: now,
        updated_at: now,
      };
      if (row) {
        if (await this.#replace(tenant, row, next)) return next;
        continue;
      }
      try {
        await this.#rows.insert(tenant, next);
        return next;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
    throw conflict();
  }

  /** Merges keys into the settings. Throws `integration_not_connected`. */
  mergeConfig(
    tenant: TenantId,
    slug: string,
    changes: Readonly<Record<string, unknown>>,
  ): Promise<ConnectionRow> {
    return this.#change(tenant, slug, (row) => {
      const config = JSON.stringify({ ...readConfig(row), ...changes });
      if (config.length > MAX_CONFIG_CHARACTERS) throw apiError('integration_config_too_large');
      return { config };
    });
  }

  /**
   * Marks the connection as broken: the vendor refuses this token, and there is no other: until the tenant connects
   * anew.
   */
  async markBroken(tenant: TenantId, slug: string, refused: Credentials): Promise<void> {
    await this.#change(tenant, slug, (row) => (this.#holds(tenant, row, refused) ? { broken: true } : null));
  }

  /** Removes the connection if it still holds these credentials; false when it was connected anew meanwhile. */
  async remove(tenant: TenantId, slug: string, credentials: Credentials): Promise<boolean> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
      const row = await this.find(tenant, slug);
      if (!row || !this.#holds(tenant, row, credentials)) return row === null;
      if (await this.#rows.delete(tenant, { _id: row._id, revision: row.revision })) return true;
    }
    throw conflict();
  }

  open(tenant: TenantId, row: ConnectionRow): OpenConnection {
    const text = this.#options.secrets.open(purpose(tenant, row.slug), row.credentials);
    return { credentials: credentialsText.parse(JSON.parse(text)), config: readConfig(row) };
  }

  /**
   * Returns the connection with a token that is good for a while. Throws `integration_not_connected`,
   * `integration_reconnect_needed`, or `VendorFailure` when no new token can be had now.
   */
  async usable(
    tenant: TenantId,
    slug: string,
    { refused, ignorePause = false }: TokenOptions = {},
  ): Promise<OpenConnection> {
    const { clock } = this.#options;
    for (let poll = 0; poll < MAX_POLLS; poll++) {
      const row = await this.#connected(tenant, slug);
      if (row.broken) throw apiError('integration_reconnect_needed');
      const open = this.open(tenant, row);
      const { credentials } = open;
      if (credentials.kind !== 'oauth') return open;
      const now = clock.now();
      const wasRefused = credentials.access_token === refused?.access_token;
      const leftMs = wasRefused ? 0 : (credentials.expires_at ?? Number.POSITIVE_INFINITY) - now;
      if (leftMs > REFRESH_AHEAD_MS) return open;
      if (credentials.refresh_token === null) {
        if (leftMs > 0) return open;
        await this.markBroken(tenant, slug, credentials);
        continue;
      }
      if (!ignorePause && row.refresh_paused_until && row.refresh_paused_until.getTime() > now) {
        if (leftMs > USABLE_MS) return open;
        throw new VendorFailure('unavailable', 'The vendor gave no new tokens a moment ago. Try again soon.');
      }
      if (row.refreshing_until !== null && row.refreshing_until.getTime() > now) {
        if (leftMs > USABLE_MS) return open;
        await clock.sleep(POLL_MS);
        continue;
      }
      const claimed: ConnectionRow = {
        ...row,
        refreshing_until: new Date(now + REFRESH_LEASE_MS),
        revision: row.revision + 1,
      };
      if (await this.#replace(tenant, row, claimed)) {
        return this.#refresh(tenant, slug, open, credentials, leftMs > USABLE_MS);
      }
    }
    throw new VendorFailure('unavailable', 'Another request is still refreshing the tokens.');
  }

  async #refresh(
    tenant: TenantId,
    slug: string,
    open: OpenConnection,
    old: OAuthCredentials,
    stillUsable: boolean,
  ): Promise<OpenConnection> {
    let fresh: OAuthCredentials;
    try {
      fresh = await this.#options.refresh(slug, old);
    } catch (error) {
      const failed = error instanceof VendorFailure;
      const gone = failed && error.kind !== 'unavailable';
      const pauseMs = failed && isRefusal(error.status) ? REFUSED_PAUSE_MS : FAULT_PAUSE_MS;
      const refresh_paused_until = failed ? new Date(this.#options.clock.now() + pauseMs) : null;
      await this.#change(tenant, slug, (row) =>
        this.#holds(tenant, row, old) ? { refreshing_until: null, refresh_paused_until, broken: gone } : null,
      );
      if (gone) throw apiError('integration_reconnect_needed', undefined, { cause: error });
      if (stillUsable) return open;
      throw error;
    }
    const credentials = this.#seal(tenant, slug, fresh);
    const row = await this.#change(tenant, slug, (current) =>
      this.#holds(tenant, current, old) ? { credentials, ...REFRESHED } : null,
    );
    return this.open(tenant, row);
  }

  #holds(tenant: TenantId, row: ConnectionRow, credentials: Credentials): boolean {
    return JSON.stringify(this.open(tenant, row).credentials) === JSON.stringify(parsedCopy(credentials));
  }

  async #connected(tenant: TenantId, slug: string): Promise<ConnectionRow> {
    const row = await this.find(tenant, slug);
    if (!row) throw apiError('integration_not_connected');
    return row;
  }

  /** Read, decide, write if nobody wrote in between. `null`: nothing is to be changed. */
  async #change(
    tenant: TenantId,
    slug: string,
    decide: (
      row: ConnectionRow,
    ) => Partial<Omit<ConnectionRow, '_id' | 'tenant_id' | 'slug' | 'revision'>> | null,
  ): Promise<ConnectionRow> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
      const row = await this.#connected(tenant, slug);
      const changes = decide(row);
      if (changes === null) return row;
      const next = {
        ...row,
        ...changes,
        revision: row.revision + 1,
        updated_at: new Date(this.#options.clock.now()),
      };
      if (await this.#replace(tenant, row, next)) return next;
    }
    throw conflict();
  }

  #replace(tenant: TenantId, row: ConnectionRow, next: ConnectionRow): Promise<boolean> {
    return this.#rows.replace(tenant, { _id: row._id, revision: row.revision }, next);
  }

  #seal(tenant: TenantId, slug: string, credentials: Credentials): string {
    return this.#options.secrets.seal(purpose(tenant, slug), JSON.stringify(credentials));
  }
}

const isRefusal = (status: number | null): boolean => status !== null && status >= 400 && status < 500;
const REFRESHED = { refreshing_until: null, refresh_paused_until: null } as const;
const idOf = (tenant: TenantId, slug: string) => derivedId(tenant, `integrations/${slug}`);
const purpose = (tenant: TenantId, slug: string) => `tenants/${tenant}/integrations/${slug}`;
const conflict = () => apiError('conflict', undefined, { retryable: true, retryAfterSeconds: 1 });
const parsedCopy = (credentials: Credentials) => credentialsText.parse(credentials);

export function readConfig(row: Pick<ConnectionRow, 'config'>): Record<string, unknown> {
  return configText.parse(JSON.parse(row.config));
}
