import { z } from 'zod';
import type { Module } from '../http/module.js';
import { reply, route } from '../http/route.js';
import { parseOrRefuse } from '../http/validation.js';
import type { UsersService } from '../users/service.js';
import { SIGNATURE_HEADERS, verifyClerk } from './signature.js';

/** What every event has (https://clerk.com/docs/guides/development/webhooks/overview). */
const clerkEvent = z.looseObject({
  type: z.string().min(1).max(128),
  data: z.looseObject({}),
});

/** The parts of a user that are kept. */
const clerkUser = z.looseObject({
  id: z.string().min(1).max(128),
  email_addresses: z.array(z.looseObject({ id: z.string(), email_address: z.string().max(320) })).default([]),
  primary_email_address_id: z.string().nullish(),
  first_name: z.string().max(255).nullish(),
  last_name: z.string().max(255).nullish(),
});

type ClerkUser = z.infer<typeof clerkUser>;

function emailOf({
  email_addresses: addresses,
  primary_email_address_id: primary,
}: ClerkUser): string | null {
  return (addresses.find(({ id }) => id === primary) ?? addresses[0])?.email_address ?? null;
}

/** The identity provider's intake: a new user becomes a tenant. */
export function createClerkModule({
  users,
  secret,
}: {
  readonly users: UsersService;
  /** Undefined: nothing is accepted. */
  readonly secret: string | undefined;
}): Module {
  return {
    name: 'clerk',
    routes: [
      route({
        method: 'post',
        path: '/api/v1/webhooks/clerk',
        operationId: 'clerkWebhook',
        tag: 'Webhooks',
        summary: "The identity provider's user intake",
        description:
          'Signed as Svix signs. Only `user.created` is handled; other types are acknowledged and ignored.',
        auth: 'none',
        requiredHeaders: SIGNATURE_HEADERS,
        body: clerkEvent,
        responses: {
          200: { description: 'What became of it.', schema: z.record(z.string(), z.string()) },
        },
        errors: ['invalid_signature'],
        verify: (rawBody, request) => verifyClerk(secret, rawBody, (name) => request.get(name)),
        handler: async ({ body }) => {
          if (body.type !== 'user.created') return reply(200, { status: 'ignored', type: body.type });
          const user = parseOrRefuse(clerkUser, 'body', body.data);
          const name = [user.first_name, user.last_name].filter(Boolean).join(' ');
          const { userId, tenant } = await users.ensure({
            externalId: user.id,
            email: emailOf(user),
            name: name === '' ? null : name,
          });
          return reply(200, { status: 'created', user_id: userId, tenant_id: tenant });
        },
      }),
    ],
  };
}
