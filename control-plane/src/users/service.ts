import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, derivedId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../http/errors.js';
import type { TenantsService } from '../tenants/service.js';
import { type UserModel, userModel } from './model.js';

export interface NewUser {
  readonly externalId: string;
  readonly email: string | null;
  readonly name: string | null;
}

/** People of the identity provider and the tenants that they own: one account, one tenant. */
export class UsersService {
  readonly #users: UserModel;
  readonly #tenants: TenantsService;
  readonly #clock: Clock;

  constructor(options: {
    readonly store: Connection;
    readonly tenants: TenantsService;
    readonly clock: Clock;
  }) {
    this.#users = userModel(options.store);
    this.#tenants = options.tenants;
    this.#clock = options.clock;
  }

  /** The person with a tenant of their own; made if there is none, and completed if that was cut short. */
  async ensure({ externalId, email, name }: NewUser): Promise<{ userId: string; tenant: TenantId }> {
    const tenant = await this.#tenants.ensure(`identity/${externalId}`);
    const userId = derivedId(tenant, `user:${externalId}`);
    try {
      await this.#users.insertOne({
        _id: userId,
        tenant_id: tenant,
        external_id: externalId,
        email,
        name,
        verified_numbers: [],
        created_at: new Date(this.#clock.now()),
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    return { userId, tenant };
  }

  /** Whose tenant the person owns; null for somebody unknown. */
  async tenantOf(externalId: string): Promise<TenantId | null> {
    const user = await this.#users.findOne({ external_id: externalId }, { tenant_id: 1 }).lean().exec();
    return user ? asTenantId(user.tenant_id) : null;
  }

  /** Notes that the number is shown to be the tenant's people's own; how many of them there are. */
  async stampVerified(tenant: TenantId, number: string): Promise<number> {
    const stamped = await this.#users.updateMany(
      { tenant_id: tenant },
      { $addToSet: { verified_numbers: number } },
    );
    return stamped.matchedCount;
  }
}
