import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, derivedId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection, Model } from 'mongoose';
import { isDuplicateKey } from '../../platform/http/errors.js';
import type { TenantsService } from '../tenants/service.js';
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

/**
 * People: those of the identity provider with the tenants that they own (one account, one tenant), and the local
 * owners of tenants that the operator of the installation has made.
 */
export class UsersService {
  readonly #users: UserModel;
  readonly #deleted: Model<DeletedPersonRow>;
  readonly #tenants: TenantsService;
  readonly #clock: Clock;

  constructor(options: {
    readonly store: Connection;
    readonly tenants: TenantsService;
    readonly clock: Clock;
  }) {
    this.#users = userModel(options.store);
    this.#deleted = deletedPersonModel(options.store);
    this.#tenants = options.tenants;
    this.#clock = options.clock;
  }

  /**
   * Returns the person with a tenant of their own; made if there is none, and completed if that was cut short. Null for
   * somebody who was deleted: messages of the identity provider may come late and in any order.
   */
  async ensure(person: NewUser): Promise<User | null> {
    if (await this.#deleted.exists({ _id: person.externalId })) return null;
    const tenant = await this.#tenants.ensure(`identity/${person.externalId}`);
    const userId = await this.#insert(tenant, person);
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
    const deleted_at = new Date(this.#clock.now());
    await this.#deleted.updateOne({ _id: externalId }, { $setOnInsert: { deleted_at } }, { upsert: true });
    return this.#markDeleted(externalId);
  }

  async #markDeleted(externalId: string): Promise<User | null> {
    const deleted_at = new Date(this.#clock.now());
    await this.#users.updateOne({ external_id: externalId, deleted_at: null }, { $set: { deleted_at } });
    const user = await this.#users.findOne({ external_id: externalId }, { tenant_id: 1 }).lean().exec();
    return user && { userId: user._id, tenant: asTenantId(user.tenant_id) };
  }

  /** Returns the identity provider's person, and the tenant that they own; null for somebody unknown or deleted. */
  async find(externalId: string): Promise<User | null> {
    if (externalId.startsWith(LOCAL)) return null;
    const user = await this.#users
      .findOne({ external_id: externalId, deleted_at: null }, { tenant_id: 1 })
      .lean()
      .exec();
    return user && { userId: user._id, tenant: asTenantId(user.tenant_id) };
  }

  /**
   * Returns the user for whom the operator acts who makes keys and login links of a tenant: its first person who is not
   * deleted, or, where it has none, a local owner without an account at an identity provider.
   */
  async ownerOf(tenant: TenantId): Promise<string> {
    const first = await this.#users
      .findOne({ tenant_id: tenant, deleted_at: null }, { _id: 1 })
      .sort({ created_at: 1, _id: 1 })
      .lean()
      .exec();
    if (first) return first._id;
    return this.#insert(tenant, { externalId: `${LOCAL}${tenant}`, email: null, name: null });
  }

  /** Notes that the number is shown to be this person's; false when there is no such person of the tenant. */
  async stampVerified(tenant: TenantId, userId: string, number: string): Promise<boolean> {
    const stamped = await this.#users.updateOne(
      { _id: userId, tenant_id: tenant },
      { $addToSet: { verified_numbers: number } },
    );
    return stamped.matchedCount === 1;
  }

  async #insert(tenant: TenantId, { externalId, email, name }: NewUser): Promise<string> {
    const userId = derivedId(tenant, `user:${externalId}`);
    try {
      await this.#users.insertOne({
        _id: userId,
        tenant_id: tenant,
        external_id: externalId,
        email,
        name,
        verified_numbers: [],
        deleted_at: null,
        created_at: new Date(this.#clock.now()),
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    return userId;
  }
}
