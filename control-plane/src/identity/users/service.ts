import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, derivedId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection, Model } from 'mongoose';
import { isDuplicateKey } from '../../platform/http/errors.js';
import type { CursorCodec } from '../../platform/http/pagination.js';
import type { Role } from '../../platform/http/roles.js';
import type { TenantsService } from '../tenants/service.js';
import { type Member, Members, memberOf, NOT_OWNERS } from './members.js';
import { type DeletedPersonRow, deletedPersonModel, type UserModel, userModel } from './model.js';

/** Begins the external ids of people whom this installation itself has made; no identity provider speaks for them. */
const LOCAL = 'local/';

export interface User {
  readonly userId: string;
  readonly tenant: TenantId;
}

export interface NewUser {
  readonly externalId: string;
  readonly email: string | null;
  readonly name: string | null;
}

export interface InvitedPerson {
  /** Of the invitation. */
  readonly id: string;
  readonly email: string | null;
  readonly name: string;
  readonly role: Role;
}

interface UsersServiceOptions {
  readonly store: Connection;
  readonly tenants: TenantsService;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
}

/**
 * People: those of the identity provider with the tenants that they own (one account, one tenant), and the local
 * owners of tenants that the operator of the installation has made, and whom they have invited.
 */
export class UsersService {
  /** The people of one tenant at a time, and what each may do. */
  readonly members: Members;
  readonly #users: UserModel;
  readonly #deleted: Model<DeletedPersonRow>;
  readonly #options: UsersServiceOptions;

  constructor(options: UsersServiceOptions) {
    this.#options = options;
    this.#users = userModel(options.store);
    this.members = new Members({ ...options, users: this.#users });
    this.#deleted = deletedPersonModel(options.store);
  }

  /**
   * Returns the person with a tenant of their own; made if there is none, and completed if that was cut short. Null for
   * somebody who was deleted: messages of the identity provider may come late and in any order.
   */
  async ensure(person: NewUser): Promise<User | null> {
    if (await this.#deleted.exists({ _id: person.externalId })) return null;
    const tenant = await this.#options.tenants.ensure(`identity/${person.externalId}`);
    const userId = await this.#insert(tenant, person, await this.#roleOfNew(tenant));
    // The deletion may have come between the two.
    if (!(await this.#deleted.exists({ _id: person.externalId }))) return { userId, tenant };
    await this.#markDeleted(person.externalId);
    return null;
  }

  /**
   * The identity provider's person is gone, for good: no session of theirs counts from now on. Their user, if there
   * ever was one.
   */
  async delete(externalId: string): Promise<User | null> {
    if (externalId.startsWith(LOCAL)) return null;
    const deleted_at = new Date(this.#options.clock.now());
    await this.#deleted.updateOne({ _id: externalId }, { $setOnInsert: { deleted_at } }, { upsert: true });
    return this.#markDeleted(externalId);
  }

  async #markDeleted(externalId: string): Promise<User | null> {
    const deleted_at = new Date(this.#options.clock.now());
    await this.#users.updateOne({ external_id: externalId, deleted_at: null }, { $set: { deleted_at } });
    const user = await this.#users.findOne({ external_id: externalId }, { tenant_id: 1 }).lean().exec();
    return user && { userId: user._id, tenant: asTenantId(user.tenant_id) };
  }

  /** Returns the identity provider's person as the member that they are; null for somebody unknown or deleted. */
  async find(externalId: string): Promise<Member | null> {
    if (externalId.startsWith(LOCAL)) return null;
    const user = await this.#users.findOne({ external_id: externalId, deleted_at: null }).lean().exec();
    return user && memberOf(user);
  }

  /**
   * Returns the user for whom the operator acts who makes keys and login links of a tenant: its first owner who is not
   * deleted, or, where it has none, a local owner without an account at an identity provider.
   */
  async ownerOf(tenant: TenantId): Promise<string> {
    const first = await this.#firstOwner(tenant);
    if (first !== null) return first;
    const local = await this.#insert(
      tenant,
      { externalId: `${LOCAL}${tenant}`, email: null, name: null },
      'owner',
    );
    // One that was there and is none any more: the operator is who lets people in where no owner is left.
    const isOwner = { role: 'owner', deleted_at: null } as const;
    await this.#users.updateOne({ _id: local, tenant_id: tenant }, { $set: isOwner });
    return local;
  }

  async #firstOwner(tenant: TenantId): Promise<string | null> {
    const first = await this.#users
      .findOne({ tenant_id: tenant, deleted_at: null, role: { $nin: [...NOT_OWNERS] } }, { _id: 1 })
      .sort({ created_at: 1, _id: 1 })
      .lean()
      .exec();
    return first?._id ?? null;
  }

  /** The first person of the identity provider in a tenant is its owner; others begin as developers. */
  async #roleOfNew(tenant: TenantId): Promise<Role> {
    const before = await this.#users.exists({
      tenant_id: tenant,
      external_id: { $not: new RegExp(`^${LOCAL}`) },
    });
    return before ? 'developer' : 'owner';
  }

  /** Makes a member of somebody who was invited; the same one when it is asked for again. */
  addInvited(tenant: TenantId, { id, ...person }: InvitedPerson): Promise<string> {
    const { email, name, role } = person;
    return this.#insert(tenant, { externalId: invitedAs(tenant, id), email, name }, role);
  }

  /** Removes the member of an invitation that is revoked; who was ever signed in stays. */
  async removeInvited(tenant: TenantId, id: string): Promise<void> {
    await this.#users.updateOne(
      {
        _id: userIdOf(tenant, invitedAs(tenant, id)),
        tenant_id: tenant,
        last_seen_at: null,
        deleted_at: null,
      },
      { $set: { deleted_at: new Date(this.#options.clock.now()) } },
    );
  }

  /** Notes that the number is shown to be this person's; false when there is no such person of the tenant. */
  async stampVerified(tenant: TenantId, userId: string, number: string): Promise<boolean> {
    const stamped = await this.#users.updateOne(
      { _id: userId, tenant_id: tenant },
      { $addToSet: { verified_numbers: number } },
    );
    return stamped.matchedCount === 1;
  }

  async #insert(tenant: TenantId, { externalId, email, name }: NewUser, role: Role): Promise<string> {
    const userId = userIdOf(tenant, externalId);
    try {
      await this.#users.insertOne({
        _id: userId,
        tenant_id: tenant,
        external_id: externalId,
        email,
        name,
        role,
        last_seen_at: null,
        verified_numbers: [],
        deleted_at: null,
        created_at: new Date(this.#options.clock.now()),
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    return userId;
  }
}

/** Returns the external id of the member that an invitation has made. */
const invitedAs = (tenant: TenantId, invitation: string): string => `${LOCAL}${tenant}/${invitation}`;

const userIdOf = (tenant: TenantId, externalId: string): string => derivedId(tenant, `user:${externalId}`);
