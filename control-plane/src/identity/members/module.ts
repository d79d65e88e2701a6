import type { Module, Platform } from '../../platform/module.js';
import type { UsersService } from '../users/service.js';
import { type AcceptedInvitation, acceptInvitation, revokeInvitation } from './accepting.js';
import { invitationRoutes } from './invitation-routes.js';
import { Invitations } from './invitations.js';
import { type MemberRoutesOptions, memberRoutes } from './routes.js';

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
  const accepting = { invitations, users };
  return {
    name: 'members',
    routes: [
      ...memberRoutes({ ...options, members }),
      ...invitationRoutes({
        invitations,
        members,
        loginUrl,
        revoke: (tenant, id) => revokeInvitation(accepting, tenant, id),
      }),
    ],
    acceptInvitation: (token) => acceptInvitation(accepting, token),
  };
}
