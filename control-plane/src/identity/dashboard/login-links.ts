import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import { type Connection, Schema } from 'mongoose';

/** For how long a login link may be used where nothing else is said, in ms. */
const LOGIN_LINK_LIFE_MS = 15 * 60_000;

interface LoginLinkRow {
  /** SHA-256 of the token; the token itself is in the link alone. */
  _id: string;
  tenant_id: string;
  /** Whom it signs in. */
  user_id?: string | null;
  expires_at: Date;
}

const loginLinkSchema = new Schema<LoginLinkRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    user_id: { type: String, default: null },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'dashboard_login_links' },
);
loginLinkSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** A plain SHA-256 is enough for 256 random bits: there is nothing to guess by dictionary. */
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** One-time links by which an operator or an owner lets somebody into a tenant's dashboard. */
export class LoginLinks {
  readonly #links;
  readonly #clock: Clock;

  constructor(store: Connection, clock: Clock) {
    this.#links = store.model<LoginLinkRow>('DashboardLoginLink', loginLinkSchema);
    this.#clock = clock;
  }

  /** `userId`: the user that it signs in. `lifeMs`: for how long it can be used. */
  async create(
    tenant: TenantId,
    userId: string,
    lifeMs = LOGIN_LINK_LIFE_MS,
  ): Promise<{ token: string; expiresAt: Date }> {
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(this.#clock.now() + lifeMs);
    await this.#links.insertOne({
      _id: hashOf(token),
      tenant_id: tenant,
      user_id: userId,
      expires_at: expiresAt,
    });
    return { token, expiresAt };
  }

  /** Withdraws all links that were made for the person. */
  async withdrawAllOf(userId: string): Promise<void> {
    await this.#links.deleteMany({ user_id: userId }).exec();
  }

  /** Returns the user that the link signs in, and at which tenant; null when it is unknown, used or too old. */
  async find(token: string): Promise<{ tenant: TenantId; userId: string | null } | null> {
    const link = await this.#links.findOne(this.#usable(token)).lean().exec();
    return link && { tenant: asTenantId(link.tenant_id), userId: link.user_id ?? null };
  }

  /** Uses the link up; false when it is unknown, used or too old. Works once, on all replicas. */
  async redeem(token: string): Promise<boolean> {
    return (await this.#links.deleteOne(this.#usable(token)).exec()).deletedCount === 1;
  }

  #usable(token: string) {
    return { _id: hashOf(token), expires_at: { $gt: new Date(this.#clock.now()) } };
  }
}
