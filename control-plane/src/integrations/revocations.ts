import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, newId, type TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { VendorFailure } from '../platform/vendor-http.js';
import type { OAuthCredentials } from './adapter.js';
import type { Connections } from './connections.js';
import { oauthCredentials } from './connections.js';
import { type RevocationRow, revocationModel } from './model.js';

/** How often a vendor is asked to revoke tokens before they are given up. */
export const REVOCATION_ATTEMPTS = 10;
/** After the first attempt, in ms; twice as long after each further one: eight and a half hours in all. */
export const FIRST_RETRY_MS = 60_000;
/** An attempt without an outcome after this counts as abandoned, in ms. More than a request may take. */
const ATTEMPT_LIMIT_MS = 30_000;
/** Longer than all attempts take: no token is kept beyond this, in ms. */
const KEPT_MS = 48 * 60 * 60_000;
/** How many are taken up in one sweep, so that its lock does not expire. */
const SWEEP_LIMIT = 20;

interface RevocationsOptions {
  readonly store: Connection;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly connections: Pick<Connections, 'find' | 'remove'>;
  /** Asks the vendor; tokens that it does not know are revoked. Throws `VendorFailure`. */
  readonly revoke: (slug: string, credentials: OAuthCredentials) => Promise<void>;
  readonly log: Log;
}

/**
 * Tokens that are to be made useless at their vendor. They are noted before the connection is removed, and
 * forgotten when the vendor has taken them back: neither a vendor that is away nor a crash leaves tokens valid
 * that the tenant believes revoked.
 */
export class Revocations {
  readonly #rows;
  readonly #options: RevocationsOptions;

  constructor(options: RevocationsOptions) {
    this.#rows = revocationModel(options.store);
    this.#options = options;
  }

  /** Notes that the tokens are to be revoked. The replica that notes makes the first attempt. */
  async note(
    tenant: TenantId,
    slug: string,
    credentials: OAuthCredentials,
    account: string | null,
  ): Promise<RevocationRow> {
    const now = this.#options.clock.now();
    const _id = newId();
    const row: RevocationRow = {
      _id,
      tenant_id: tenant,
      slug,
      account,
      credentials: this.#options.secrets.seal(purpose(tenant, _id), JSON.stringify(credentials)),
      attempts: 1,
      next_at: new Date(now + ATTEMPT_LIMIT_MS),
      forget_at: new Date(now + KEPT_MS),
    };
    await this.#rows.insertMany([row]);
    return row;
  }

  /** Makes the attempt that `row` counts already. `pending`: the vendor did not, and will be asked again. */
  async attempt(row: RevocationRow): Promise<'revoked' | 'pending'> {
    const { revoke, clock, log } = this.#options;
    try {
      await revoke(row.slug, this.#open(row));
    } catch (error) {
      if (!(error instanceof VendorFailure)) throw error;
      const details = { tenant: row.tenant_id, integration: row.slug, attempts: row.attempts, err: error };
      if (row.attempts >= REVOCATION_ATTEMPTS) {
        log.error(details, 'tokens were not revoked: the vendor was away or refused too long');
        await this.forget(row);
        return 'pending';
      }
      log.warn(details, 'tokens are not revoked yet');
      const next_at = new Date(clock.now() + FIRST_RETRY_MS * 2 ** (row.attempts - 1));
      await this.#rows.updateOne({ _id: row._id, attempts: row.attempts }, { $set: { next_at } });
      return 'pending';
    }
    await this.forget(row);
    return 'revoked';
  }

  async forget(row: RevocationRow): Promise<void> {
    await this.#rows.deleteOne({ _id: row._id });
  }

  /** Makes the attempts that are due, of all tenants. */
  async sweep(): Promise<void> {
    for (let n = 0; n < SWEEP_LIMIT; n++) {
      const row = await this.#claim();
      if (!row) return;
      if (row.attempts > REVOCATION_ATTEMPTS || (await this.#isVoid(row))) await this.forget(row);
      else await this.attempt(row);
    }
  }

  /** Claims one that is due, counted before it is tried, so that what kills its runner is not tried for ever. */
  #claim(): Promise<RevocationRow | null> {
    const now = this.#options.clock.now();
    return this.#rows
      .findOneAndUpdate(
        { next_at: { $lte: new Date(now) } },
        { $set: { next_at: new Date(now + ATTEMPT_LIMIT_MS) }, $inc: { attempts: 1 } },
        { sort: { next_at: 1 }, returnDocument: 'after' },
      )
      .lean<RevocationRow>()
      .exec();
  }

  /**
   * Returns whether the same account was connected anew. Then the consent stands again, and must not end: for most
   * vendors old tokens and new ones are of one grant, for some they are the same.
   */
  async #isVoid(row: RevocationRow): Promise<boolean> {
    const { connections } = this.#options;
    const tenant = asTenantId(row.tenant_id);
    // A disconnection that broke off after it was noted is completed.
    await connections.remove(tenant, row.slug, this.#open(row));
    const current = await connections.find(tenant, row.slug);
    return current !== null && current.account === row.account;
  }

  #open(row: RevocationRow): OAuthCredentials {
    const text = this.#options.secrets.open(purpose(asTenantId(row.tenant_id), row._id), row.credentials);
    return oauthCredentials.parse(JSON.parse(text));
  }
}

const purpose = (tenant: TenantId, id: string) => `tenants/${tenant}/revocations/${id}`;
