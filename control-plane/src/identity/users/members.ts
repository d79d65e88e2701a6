import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Actor } from '../../platform/http/actor.js';
import { apiError } from '../../platform/http/error-codes.js';
import { after, type CursorCodec, NEWEST_FIRST, pageOf } from '../../platform/http/pagination.js';
import { ROLES, type Role } from '../../platform/http/roles.js';
import { totalOf } from '../../platform/http/totals.js';
import type { UserModel, UserRow } from './model.js';

/** How exact `last_seen_at` is, in ms: a page that refreshes itself is not a write a second. */
const SEEN_EVERY_MS = 5 * 60_000;

/** Roles that are no owner's: who has none is from before there were roles, and an owner. */
export const NOT_OWNERS: readonly Role[] = ROLES.filter((role) => role !== 'owner');

/** A person of a tenant. */
export interface Member {
  readonly userId: string;
  readonly tenant: TenantId;
  readonly email: string | null;
  readonly name: string | null;
  readonly role: Role;
  readonly createdAt: Date;
  readonly lastSeenAt: Date | null;
}

export interface MembersPage {
  readonly limit: number;
  readonly cursor?: string;
  readonly include_total?: boolean;
}

export interface MembersOptions {
  readonly users: UserModel;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
}

export function memberOf(row: UserRow): Member {
  return {
    userId: row._id,
    tenant: asTenantId(row.tenant_id),
    email: row.email ?? null,
    name: row.name ?? null,
    role: row.role ?? 'owner',
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at ?? null,
  };
}

/** Returns under which name the member stands in records of what they did. */
export function actorOf({ userId, name, email, role }: Omit<Member, 'createdAt' | 'lastSeenAt'>): Actor {
  return { type: 'member', id: userId, name: name ?? email ?? role };
}

/** The people of a tenant and their roles. A tenant keeps one owner at least. */
export class Members {
  readonly #users: UserModel;
  readonly #clock: Clock;
  readonly #cursors: CursorCodec;

  constructor({ users, clock, cursors }: MembersOptions) {
    this.#users = users;
    this.#clock = clock;
    this.#cursors = cursors;
  }

  /** Returns the member; null for who is none, or none any more. */
  async find(tenant: TenantId, userId: string): Promise<Member | null> {
    const row = await this.#users
      .findOne({ _id: userId, tenant_id: tenant, deleted_at: null })
      .lean<UserRow>()
      .exec();
    return row && memberOf(row);
  }

  /** Returns the member. Throws `member_not_found`. */
  async get(tenant: TenantId, userId: string): Promise<Member> {
    const member = await this.find(tenant, userId);
    if (member === null) throw apiError('member_not_found');
    return member;
  }

  /** Returns a page of the members, who came last first. */
  async list(tenant: TenantId, page: MembersPage) {
    const scope = `members/${tenant}`;
    const all = { tenant_id: tenant, deleted_at: null };
    const place = page.cursor === undefined ? undefined : this.#cursors.decode(scope, page.cursor);
    const [rows, total] = await Promise.all([
      this.#users
        .find({ ...all, ...(place ? after(place) : {}) })
        .sort(NEWEST_FIRST)
        .limit(page.limit + 1)
        .lean<UserRow[]>()
        .exec(),
      totalOf(page.include_total === true, (limit) => this.#users.countDocuments(all, { limit }).exec()),
    ]);
    const { rows: shown, ...rest } = pageOf(rows, page.limit, (position) =>
      this.#cursors.encode(scope, position),
    );
    return { members: shown.map(memberOf), ...total, ...rest };
  }

  /** Changes what is given. Throws `member_not_found`, and 409 `last_owner` where no owner would be left. */
  async change(
    tenant: TenantId,
    userId: string,
    change: { readonly role?: Role; readonly name?: string },
  ): Promise<Member> {
    const before = await this.get(tenant, userId);
    if (Object.keys(change).length === 0) return before;
    const isLowered = before.role === 'owner' && change.role !== undefined && change.role !== 'owner';
    const write = () => this.#set(tenant, userId, change);
    const changed = await (isLowered ? this.#unlessLastOwner(before, { role: change.role }, write) : write());
    if (changed === null) throw apiError('member_not_found');
    return memberOf(changed);
  }

  /** Removes a member, who is signed in nowhere from then on. Throws as `change` does. */
  async remove(tenant: TenantId, userId: string): Promise<void> {
    const before = await this.get(tenant, userId);
    const deleted_at = new Date(this.#clock.now());
    const write = () => this.#set(tenant, userId, { deleted_at });
    await (before.role === 'owner' ? this.#unlessLastOwner(before, { deleted_at }, write) : write());
  }

  /** Returns whether the person was a member once and was removed. */
  async wasRemoved(tenant: TenantId, userId: string): Promise<boolean> {
    const removed = { _id: userId, tenant_id: tenant, deleted_at: { $gt: new Date(0) } };
    return (await this.#users.exists(removed)) !== null;
  }

  /** Notes that the member is signed in now; at most every five minutes. */
  async noteSeen({ tenant, userId, lastSeenAt }: Member): Promise<void> {
    const now = this.#clock.now();
    if (lastSeenAt !== null && now - lastSeenAt.getTime() < SEEN_EVERY_MS) return;
    await this.#users.updateOne(
      { _id: userId, tenant_id: tenant },
      { $set: { last_seen_at: new Date(now) } },
    );
  }

  /** Returns whether anybody of the tenant was ever signed in, since this is noted. */
  async someoneWasSeen(tenant: TenantId): Promise<boolean> {
    const seen = { tenant_id: tenant, last_seen_at: { $gt: new Date(0) } };
    return (await this.#users.exists(seen)) !== null;
  }

  /**
   * Takes an owner away, unless no other is left. Two owners who take each other away at the same moment both look
   * after they wrote, and the one that finds no owner then undoes its change: one of them stays.
   */
  async #unlessLastOwner<T>(
    owner: Member,
    written: Readonly<Partial<UserRow>>,
    write: () => Promise<T>,
  ): Promise<T> {
    if ((await this.#owners(owner.tenant)) < 2) throw apiError('last_owner');
    const done = await write();
    if ((await this.#owners(owner.tenant)) > 0) return done;
    await this.#users.updateOne(
      { _id: owner.userId, tenant_id: owner.tenant, ...written },
      { $set: { role: 'owner', deleted_at: null } },
    );
    throw apiError('last_owner');
  }

  #owners(tenant: TenantId): Promise<number> {
    return this.#users
      .countDocuments({ tenant_id: tenant, deleted_at: null, role: { $nin: [...NOT_OWNERS] } })
      .exec();
  }

  #set(tenant: TenantId, userId: string, fields: Partial<UserRow>): Promise<UserRow | null> {
    return this.#users
      .findOneAndUpdate(
        { _id: userId, tenant_id: tenant, deleted_at: null },
        { $set: fields },
        { returnDocument: 'after' },
      )
      .lean<UserRow>()
      .exec();
  }
}
