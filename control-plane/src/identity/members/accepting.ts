import type { TenantId } from '@voice/shared/ids/ids';
import type { UsersService } from '../users/service.js';
import type { Invitations } from './invitations.js';

/** Who an accepted invitation has made a member. */
export interface AcceptedInvitation {
  readonly tenant: TenantId;
  readonly userId: string;
}

export interface AcceptingOptions {
  readonly invitations: Pick<Invitations, 'find' | 'use' | 'isRevoked' | 'revoke'>;
  readonly users: Pick<UsersService, 'addInvited' | 'removeInvited'>;
}

/**
 * Makes a member of who holds the token of an invitation, once; null for any other token. The member is written first
 * and the invitation used up after: cut short in between, the same link makes the same member.
 */
export async function acceptInvitation(
  { invitations, users }: AcceptingOptions,
  token: string,
): Promise<AcceptedInvitation | null> {
  const open = await invitations.find(token);
  if (open === null) return null;
  const { tenant, invited } = open;
  const userId = await users.addInvited(tenant, invited);
  if (await invitations.use(tenant, invited.id)) return { tenant, userId };
  // Somebody else opened it at the same moment, whose member this is; or it was revoked, and there is to be none.
  if (await invitations.isRevoked(tenant, invited.id)) await users.removeInvited(tenant, invited.id);
  return null;
}

/** Withdraws an invitation, with the member of one whose acceptance was cut short. Throws `invitation_not_found`. */
export async function revokeInvitation(
  { invitations, users }: AcceptingOptions,
  tenant: TenantId,
  id: string,
): Promise<void> {
  await invitations.revoke(tenant, id);
  await users.removeInvited(tenant, id);
}
