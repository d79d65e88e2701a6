import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import { type Connection, type Model, Schema } from 'mongoose';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { after, type CursorCodec, NEWEST_FIRST, pageOf } from '../../platform/http/pagination.js';
import { ROLES, type Role } from '../../platform/http/roles.js';
import { TenantCollection } from '../../platform/store/tenant-collection.js';

/** For how long an invitation can be accepted, in ms. */
export const INVITATION_LIFE_MS = 7 * 24 * 60 * 60_000;

export interface InvitationRow {
  _id: string;
  tenant_id: string;
  /** SHA-256 of the token; the token itself is in the link alone. */
  token_hash: string;
  role: Role;
  name: string;
  email: string | null;
  created_at: Date;
  expires_at: Date;
  /** Absent or null while it can be accepted. */
  revoked_at?: Date | null;
}

const invitationSchema = new Schema<InvitationRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    token_hash: { type: String, required: true },
    role: { type: String, enum: [...ROLES], required: true },
    name: { type: String, required: true },
    email: { type: String, default: null },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    revoked_at: { type: Date, default: null },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, strict: 'throw', collection: 'invitations' },
);
invitationSchema.index({ token_hash: 1 }, { unique: true });
invitationSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });
invitationSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** A plain SHA-256 is enough for 256 random bits: there is nothing to guess by dictionary. */
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export interface NewInvitation {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
}

interface InvitationsOptions {
  readonly store: Connection;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
}

/** Links by which an owner lets somebody into the tenant, in a role. An invitation is a row until it is accepted. */
export class Invitations {
  readonly #all: Model<InvitationRow>;
  readonly #invitations: TenantCollection<InvitationRow>;
  readonly #options: InvitationsOptions;

  constructor(options: InvitationsOptions) {
    this.#options = options;
    this.#all = options.store.model<InvitationRow>('Invitation', invitationSchema);
    this.#invitations = new TenantCollection(this.#all);
  }

  /** Makes an invitation. The only moment that its token is known. */
  async create(
    tenant: TenantId,
    { id, name, email, role }: NewInvitation,
  ): Promise<{ readonly invitation: InvitationRow; readonly token: string }> {
    const token = randomBytes(32).toString('base64url');
    const now = this.#options.clock.now();
    const invitation: InvitationRow = {
      _id: id,
      tenant_id: tenant,
      token_hash: hashOf(token),
      role,
      name,
      email,
      created_at: new Date(now),
      expires_at: new Date(now + INVITATION_LIFE_MS),
      revoked_at: null,
    };
    try {
      await this.#invitations.insert(tenant, invitation);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // A retry of a request whose answer was lost: nobody has seen the link made then, so it is replaced.
      await this.#invitations.replace(tenant, { _id: id }, invitation);
    }
    return { invitation, token };
  }

  /** Returns a page of those that can be accepted, the newest first. */
  async list(tenant: TenantId, page: { readonly limit: number; readonly cursor?: string }) {
    const scope = `invitations/${tenant}`;
    const place = page.cursor === undefined ? undefined : this.#options.cursors.decode(scope, page.cursor);
    const rows = await this.#invitations.findPage(
      tenant,
      { ...this.#isOpen(), ...(place ? after(place) : {}) },
      { sort: NEWEST_FIRST, limit: page.limit + 1 },
    );
    const { rows: shown, ...rest } = pageOf(rows, page.limit, (position) =>
      this.#options.cursors.encode(scope, position),
    );
    return { invitations: shown, ...rest };
  }

  /**
   * Withdraws an invitation: its link no longer works. Its row stays until it expires, so that who is accepting it at
   * that moment sees it. Throws `invitation_not_found`.
   */
  async revoke(tenant: TenantId, id: string): Promise<void> {
    const revoked = await this.#invitations.set(
      tenant,
      { _id: id, ...this.#isOpen() },
      { revoked_at: new Date(this.#options.clock.now()) },
    );
    if (revoked === null) throw apiError('invitation_not_found');
  }

  /** Finds the invitation of a token; null when it is unknown, used, revoked or too old. */
  async find(token: string): Promise<{ readonly tenant: TenantId; readonly invited: NewInvitation } | null> {
    const row = await this.#all
      .findOne({ token_hash: hashOf(token), ...this.#isOpen() })
      .lean<InvitationRow>()
      .exec();
    if (row === null) return null;
    const { _id: id, name, email, role } = row;
    return { tenant: asTenantId(row.tenant_id), invited: { id, name, email, role } };
  }

  /** Uses an invitation up; true for one caller alone, on all replicas, and for none once it is revoked. */
  use(tenant: TenantId, id: string): Promise<boolean> {
    return this.#invitations.delete(tenant, { _id: id, revoked_at: null });
  }

  async isRevoked(tenant: TenantId, id: string): Promise<boolean> {
    return (await this.#invitations.findOne(tenant, { _id: id, revoked_at: { $gt: new Date(0) } })) !== null;
  }

  #isOpen() {
    return { expires_at: { $gt: new Date(this.#options.clock.now()) }, revoked_at: null };
  }
}
