import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { ROLES } from '../../platform/http/roles.js';
import { totalFields } from '../../platform/http/totals.js';
import type { Member } from '../users/members.js';
import type { InvitationRow } from './invitations.js';

const role = z
  .enum(ROLES)
  .describe(
    '`viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, ' +
      'numbers, webhooks, integrations and keys; `owner` also members, settings and billing.',
  )
  .meta({ examples: ['operator'] });
const name = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .describe('What the person is called here.')
  .meta({ examples: ['Ada Byron'] });

export const memberResponse = z
  .object({
    id: uuid,
    name: name.nullable().describe('What the person is called here; null where nobody said.'),
    email: z
      .string()
      .nullable()
      .describe('Their address; null where nobody said.')
      .meta({
        examples: ['ada@example.com'],
      }),
    role,
    created_at: z.iso.datetime().describe('Since when they are a member.'),
    last_seen_at: z.iso
      .datetime()
      .nullable()
      .describe('When they were signed in last, to five minutes; null for never.'),
  })
  .meta({ id: 'MemberResponse' });

export const memberListResponse = z
  .object({
    members: z.array(memberResponse).describe('Who came last first.'),
    ...totalFields,
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'MemberListResponse' });

export const memberUpdate = z
  .strictObject({ role: role.optional(), name: name.optional() })
  .meta({ id: 'MemberUpdate' });

export const memberLoginLinkResponse = z
  .object({
    url: z.url().describe('Signs the member in, once. Give it to nobody else.'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'MemberLoginLinkResponse' });

const invitationResponse = z
  .object({
    id: uuid,
    name,
    email: z
      .string()
      .nullable()
      .describe('Their address; null where nobody said.')
      .meta({
        examples: ['ada@example.com'],
      }),
    role,
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'InvitationResponse' });

export const invitationListResponse = z
  .object({
    invitations: z.array(invitationResponse).describe('Those that can still be accepted, the newest first.'),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'InvitationListResponse' });

export const invitationCreate = z
  .strictObject({
    name,
    email: z.email().max(320).nullable().default(null).describe('Shown to members; nothing is sent to it.'),
    role,
  })
  .meta({ id: 'InvitationCreate' });

export const invitationCreateResponse = invitationResponse
  .extend({
    url: z.url().describe('Accepts the invitation and signs in, once. Shown here and never again.'),
  })
  .meta({ id: 'InvitationCreateResponse' });

export function presentMember(member: Member): z.output<typeof memberResponse> {
  return {
    id: member.userId,
    name: member.name,
    email: member.email,
    role: member.role,
    created_at: member.createdAt.toISOString(),
    last_seen_at: member.lastSeenAt?.toISOString() ?? null,
  };
}

export function presentInvitation(row: InvitationRow): z.output<typeof invitationResponse> {
  return {
    id: row._id,
    name: row.name,
    email: row.email ?? null,
    role: row.role,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}
