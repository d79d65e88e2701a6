import type { TenantId } from '@voice/shared/ids/ids';
import type { Module, Platform } from '../../platform/module.js';
import type { UsersService } from '../users/service.js';
import { invitationRoutes } from './invitation-routes.js';
import { Invitations } from './invitations.js';
import { type MemberRoutesOptions, memberRoutes } from './routes.js';

/** Who an accepted invitation has made a member. */
interface AcceptedInvitation {
  readonly tenant: TenantId;
  readonly userId: string;
}

export interface MembersModule extends Module {
  /** Makes a member of who holds the token of an invitation, once; null for any other token. */
  acceptInvitation(token: string): Promise<AcceptedInvitation | null>;
}

/** Wires the members of tenants and their invitations. */
export function createMembersModule(
  options: Omit<MemberRoutesOptions, 'members'> & {
    readonly platform: Platform;
    readonly users: UsersService;
    readonly loginUrl: (token: string) => string;
  },
): MembersModule {
  const { users, loginUrl } = options;
  const { members } = users;
  const invitations = new Invitations(options.platform);
  return {
    name: 'members',
    routes: [
      ...memberRoutes({ ...options, members }),
      ...invitationRoutes({ invitations, members, loginUrl }),
    ],
    async acceptInvitation(token) {
      const taken = await invitations.take(token);
      if (taken === null) return null;
      const { tenant, invited } = taken;
      return { tenant, userId: await users.addInvited(tenant, invited) };
    },
  };
}
