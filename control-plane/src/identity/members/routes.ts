import { uuid } from '@voice/shared/contracts/primitives';
import type { Log } from '@voice/shared/log/log';
import { z } from 'zod';
import { apiError } from '../../platform/http/error-codes.js';
import { queryCursor, queryInt } from '../../platform/http/query.js';
import { noContent, type Principal, type Route, reply, route } from '../../platform/http/route.js';
import { queryIncludeTotal } from '../../platform/http/totals.js';
import type { Member, Members } from '../users/members.js';
import {
  memberListResponse,
  memberLoginLinkResponse,
  memberResponse,
  memberUpdate,
  presentMember,
} from './schemas.js';

const tag = 'Members';
const params = z.object({ member_id: uuid });

export interface MemberRoutesOptions {
  readonly members: Members;
  /** Ends all of a person's sessions and the links that would begin one. */
  readonly endSessionsOf: (userId: string) => Promise<number>;
  /** Marks the keys that a person made; how many. */
  readonly reviewKeysOf: (userId: string) => Promise<number>;
  /** Makes a link that signs the member in, once. */
  readonly createLoginLink: (member: Member) => Promise<{ readonly url: string; readonly expiresAt: Date }>;
}

/**
 * Throws 403 `role_insufficient` for a key whose maker is no owner: with a key of their own making, a developer would
 * make themselves an owner. A session's role was asked for already.
 */
export async function requireOwnersKey(
  members: Members,
  { tenant, userId, role }: Pick<Principal, 'tenant' | 'userId' | 'role'>,
): Promise<void> {
  if (role !== undefined) return;
  const maker = userId === null ? null : await members.find(tenant, userId);
  if (maker?.role === 'owner') return;
  throw apiError('role_insufficient', 'An API key manages members only while who made it is an owner.', {
    fields: { required_role: 'owner', role: maker?.role ?? null },
  });
}

/** Declares the routes of a tenant's people. */
export function memberRoutes(options: MemberRoutesOptions): readonly Route[] {
  const { members } = options;
  /** Who did what to which member; the names are in the store. */
  const note = (log: Log, what: string, asked: Pick<Principal, 'tenant' | 'keyId' | 'userId'>, to: object) =>
    log.info({ tenant: asked.tenant, by: asked.keyId, user_id: asked.userId, ...to }, what);
  return [
    route({
      method: 'get',
      path: '/api/v1/members',
      operationId: 'listMembers',
      tag,
      summary: 'List the members',
      description: 'The people of the tenant, and what each may do.',
      auth: 'tenant',
      query: z.object({
        cursor: queryCursor,
        limit: queryInt({ min: 1, max: 100, default: 100 }),
        include_total: queryIncludeTotal,
      }),
      responses: { 200: { description: 'A page of members.', schema: memberListResponse } },
      errors: ['invalid_cursor'],
      handler: async ({ tenant, query }) => {
        const { members: shown, ...rest } = await members.list(tenant, query);
        return reply(200, { members: shown.map(presentMember), ...rest });
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/members/{member_id}',
      operationId: 'getMember',
      tag,
      summary: 'Get a member',
      auth: 'tenant',
      params,
      responses: { 200: { description: 'The member.', schema: memberResponse } },
      errors: ['member_not_found'],
      handler: async ({ tenant, params }) =>
        reply(200, presentMember(await members.get(tenant, params.member_id))),
    }),
    route({
      method: 'patch',
      path: '/api/v1/members/{member_id}',
      operationId: 'updateMember',
      tag,
      summary: "Change a member's role or name",
      description: 'Holds from their next request on. The last owner cannot be lowered.',
      auth: 'tenant_live',
      params,
      body: memberUpdate,
      responses: { 200: { description: 'The member after the change.', schema: memberResponse } },
      errors: ['member_not_found', 'last_owner'],
      handler: async ({ params, body, log, ...asked }) => {
        await requireOwnersKey(members, asked);
        const changed = await members.change(asked.tenant, params.member_id, body);
        note(log, 'a member was changed', asked, { member_id: params.member_id, role: changed.role });
        return reply(200, presentMember(changed));
      },
    }),
    route({
      method: 'delete',
      path: '/api/v1/members/{member_id}',
      operationId: 'removeMember',
      tag,
      summary: 'Remove a member',
      description:
        'Their sessions and login links end at once; keys that they made go on working and are marked for review. ' +
        'The last owner cannot be removed.',
      auth: 'tenant_live',
      params,
      responses: { 204: { description: 'They are no member any more.' } },
      errors: ['member_not_found', 'last_owner'],
      handler: async ({ params, log, ...asked }) => {
        await requireOwnersKey(members, asked);
        // What follows a removal is made good where it was cut short: asking again finds no member.
        const isGone = await members.wasRemoved(asked.tenant, params.member_id);
        if (!isGone) await members.remove(asked.tenant, params.member_id);
        const sessions = await options.endSessionsOf(params.member_id);
        const keys = await options.reviewKeysOf(params.member_id);
        if (isGone) throw apiError('member_not_found');
        note(log, 'a member was removed', asked, { member_id: params.member_id, sessions, keys });
        return noContent();
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/members/{member_id}/login-link',
      operationId: 'createMemberLoginLink',
      tag,
      summary: 'Make a login link for a member',
      description:
        'A link that signs in once, for 24 hours: for a member whose invitation was used and whose session has ended. ' +
        'A member who signs in by an identity provider needs none.',
      auth: 'tenant_live',
      // One who has the link is signed in as the member: a key that may not ask for it gets none by a replay.
      replaysToCredential: true,
      params,
      responses: { 201: { description: 'The link, shown once.', schema: memberLoginLinkResponse } },
      errors: ['member_not_found'],
      handler: async ({ params, log, ...asked }) => {
        await requireOwnersKey(members, asked);
        const member = await members.get(asked.tenant, params.member_id);
        const { url, expiresAt } = await options.createLoginLink(member);
        note(log, 'a login link was made for a member', asked, { member_id: params.member_id });
        return reply(201, { url, expires_at: expiresAt.toISOString() });
      },
    }),
  ];
}
