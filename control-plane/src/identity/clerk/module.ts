import type { Log } from '@voice/shared/log/log';
import { z } from 'zod';
import { reply, route } from '../../platform/http/route.js';
import { parseOrRefuse } from '../../platform/http/validation.js';
import type { Module } from '../../platform/module.js';
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

/** A deleted user: Clerk sends its id alone. */
const deletedUser = z.looseObject({ id: z.string().min(1).max(128) });

export interface ClerkModuleOptions {
  readonly users: UsersService;
  /** Undefined: nothing is accepted. */
  readonly secret: string | undefined;
  /** Ends a person's sessions; how many there were. */
  readonly endSessionsOf: (userId: string) => Promise<number>;
  /** Marks the keys that a person made; how many. */
  readonly reviewKeysOf: (userId: string) => Promise<number>;
  readonly log: Log;
}

/** Where the identity provider's whole event stream goes; the public contract's address takes new users alone. */
const SYNC_PATH = '/internal/identity/clerk';

/** Wires the identity provider's intakes: a new user becomes a tenant, a deleted one is signed out. */
export function createClerkModule(options: ClerkModuleOptions): Module {
  const { users, secret, log } = options;
  const signed = {
    method: 'post',
    auth: 'none',
    requiredHeaders: SIGNATURE_HEADERS,
    body: clerkEvent,
    responses: {
      200: { description: 'What became of it.', schema: z.record(z.string(), z.string()) },
    },
    errors: ['invalid_signature'],
    verify: (rawBody: Buffer, request: { get(name: string): string | undefined }) =>
      verifyClerk(secret, rawBody, (name) => request.get(name)),
  } as const;

  const userCreated = async (data: unknown): Promise<Record<string, string>> => {
    const user = parseOrRefuse(clerkUser, 'body', data);
    const name = [user.first_name, user.last_name].filter(Boolean).join(' ');
    const made = await users.ensure({
      externalId: user.id,
      email: emailOf(user),
      name: name === '' ? null : name,
    });
    if (!made) return { status: 'ignored', type: 'user.created' };
    return { status: 'created', user_id: made.userId, tenant_id: made.tenant };
  };

  const userDeleted = async (data: unknown): Promise<Record<string, string>> => {
    const { id } = parseOrRefuse(deletedUser, 'body', data);
    const user = await users.delete(id);
    if (!user) return { status: 'deleted' };
    const sessions = await options.endSessionsOf(user.userId);
    const keys = await options.reviewKeysOf(user.userId);
    log.info({ tenant: user.tenant, user_id: user.userId, sessions, keys }, 'a person was deleted');
    return { status: 'deleted', user_id: user.userId, tenant_id: user.tenant };
  };

  return {
    name: 'clerk',
    routes: [
      route({
        ...signed,
        path: '/api/v1/webhooks/clerk',
        operationId: 'clerkWebhook',
        tag: 'Webhooks',
        summary: "The identity provider's user intake",
        description:
          'Signed as Svix signs. Only `user.created` is handled; other types are acknowledged and ignored.',
        handler: async ({ body: { type, data } }) => {
          if (type === 'user.created') return reply(200, await userCreated(data));
          if (type === 'user.deleted') {
            log.warn({ type }, `ignored here, and the person stays signed in: send it to ${SYNC_PATH}`);
          }
          return reply(200, { status: 'ignored', type });
        },
      }),
    ],
    intakeRoutes: [
      route({
        ...signed,
        path: SYNC_PATH,
        operationId: 'clerkSync',
        tag: 'Internal',
        summary: 'New and deleted users of the identity provider; signed as Svix signs',
        handler: async ({ body: { type, data } }) => {
          switch (type) {
            case 'user.created':
              return reply(200, await userCreated(data));
            case 'user.deleted':
              return reply(200, await userDeleted(data));
            default:
              return reply(200, { status: 'ignored', type });
          }
        },
      }),
    ],
  };
}
