import { uuid } from '@voice/shared/contracts/primitives';
import type { TenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import { queryCursor, queryInt } from '../../platform/http/query.js';
import { noContent, type Route, reply, route } from '../../platform/http/route.js';
import type { Members } from '../users/members.js';
import type { Invitations } from './invitations.js';
import { requireOwnersKey } from './routes.js';
import {
  invitationCreate,
  invitationCreateResponse,
  invitationListResponse,
  presentInvitation,
} from './schemas.js';

const tag = 'Members';

export interface InvitationRoutesOptions {
  readonly invitations: Pick<Invitations, 'create' | 'list'>;
  readonly members: Members;
  /** Withdraws an invitation. Throws `invitation_not_found`. */
  readonly revoke: (tenant: TenantId, id: string) => Promise<void>;
  /** Returns the address at which a token signs in. */
  readonly loginUrl: (token: string) => string;
}

/** Declares the routes by which owners invite people. */
export function invitationRoutes(options: InvitationRoutesOptions): readonly Route[] {
  const { invitations, members, revoke, loginUrl } = options;
  return [
    route({
      method: 'get',
      path: '/api/v1/invitations',
      operationId: 'listInvitations',
      tag,
      summary: 'List open invitations',
      description: 'Without their links, which are shown once.',
      auth: 'tenant_live',
      query: z.object({ cursor: queryCursor, limit: queryInt({ min: 1, max: 100, default: 100 }) }),
      responses: { 200: { description: 'A page of invitations.', schema: invitationListResponse } },
      errors: ['invalid_cursor'],
      handler: async ({ query, ...asked }) => {
        await requireOwnersKey(members, asked);
        const { invitations: shown, ...rest } = await invitations.list(asked.tenant, query);
        return reply(200, { invitations: shown.map(presentInvitation), ...rest });
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/invitations',
      operationId: 'createInvitation',
      tag,
      summary: 'Invite somebody',
      description:
        'Returns a link that works once, for seven days: the person who opens it is a member in this role from then ' +
        'on, and signed in. Nothing is sent to anybody.',
      auth: 'tenant_live',
      replaysToCredential: true,
      body: invitationCreate,
      responses: { 201: { description: 'The invitation, with its link.', schema: invitationCreateResponse } },
      handler: async ({ body, resourceId, log, ...asked }) => {
        await requireOwnersKey(members, asked);
        const { invitation, token } = await invitations.create(asked.tenant, { id: resourceId, ...body });
        const { tenant, keyId, userId } = asked;
        log.info({ tenant, by: keyId, user_id: userId, role: body.role }, 'somebody was invited');
        return reply(201, { ...presentInvitation(invitation), url: loginUrl(token) });
      },
    }),
    route({
      method: 'delete',
      path: '/api/v1/invitations/{invitation_id}',
      operationId: 'revokeInvitation',
      tag,
      summary: 'Revoke an invitation',
      description: 'Its link no longer works.',
      auth: 'tenant_live',
      params: z.object({ invitation_id: uuid }),
      responses: { 204: { description: 'Nobody can accept it any more.' } },
      errors: ['invitation_not_found'],
      handler: async ({ params, ...asked }) => {
        await requireOwnersKey(members, asked);
        await revoke(asked.tenant, params.invitation_id);
        return noContent();
      },
    }),
  ];
}
