import { e164, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { type Route, reply, route } from '../../platform/http/route.js';
import { VERIFICATION_CHANNELS } from './model.js';
import type { Verifications } from './verifications.js';

const tag = 'Phone numbers';

const startRequest = z
  .strictObject({ phone_number: e164, channel: z.enum(VERIFICATION_CHANNELS).default('sms') })
  .meta({ id: 'StartRequest' });
const startResponse = z
  .object({
    phone_number: e164,
    channel: z.enum(VERIFICATION_CHANNELS),
    status: z.literal('pending'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'StartResponse' });

const confirmRequest = z
  .strictObject({
    phone_number: e164,
    code: z.string().regex(/^\d{6}$/, 'must be 6 digits'),
  })
  .meta({ id: 'ConfirmRequest' });
const confirmResponse = z
  .object({
    phone_number: e164,
    status: z.literal('approved'),
    verified_at: z.iso.datetime(),
    phone_number_ids: z.array(uuid).describe("The tenant's numbers that are verified by it."),
    user_verified: z
      .boolean()
      .describe("Whether the caller's user record was stamped; in the sandbox never."),
  })
  .meta({ id: 'ConfirmResponse' });

export function verificationRoutes(verifications: Verifications): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/verifications',
      operationId: 'startVerification',
      rateClass: 'dial',
      tag,
      summary: 'Send a verification code',
      description:
        'Six digits, good for 10 minutes. At most 5 codes an hour and number, 30 seconds apart; at most so many a day ' +
        'for the tenant, to one number, and by the installation (UTC). Codes go to ordinary numbers of the countries ' +
        "that the operator allows; by default the tenant's own and those of its verified numbers. With a sandbox key " +
        'the simulated carrier takes the message, and only the hourly limit counts; `voice` reaches its test numbers alone.',
      auth: 'tenant_in_mode',
      body: startRequest,
      responses: { 200: { description: 'The code is sent.', schema: startResponse } },
      errors: [
        'payment_method_required',
        'credit_exhausted',
        'daily_cap_reached',
        'verification_destination_refused',
        'sandbox_number_required',
        'verification_limit_reached',
        'carrier_error',
        'carrier_timeout',
      ],
      handler: async ({ tenant, sandbox, body }) => {
        const { expiresAt } = await verifications.start({ tenant, sandbox }, body.phone_number, body.channel);
        return reply(200, {
          phone_number: body.phone_number,
          channel: body.channel,
          status: 'pending' as const,
          expires_at: expiresAt.toISOString(),
        });
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/verifications/confirm',
      operationId: 'confirmVerification',
      tag,
      summary: 'Confirm a verification code',
      description:
        "Stamps the caller's user record and the tenant's matching numbers; 5 tries a code. The caller is the " +
        'person of the session, or who created the key; a key that the operator of the installation has made ' +
        "speaks for the tenant's owner.",
      auth: 'tenant_in_mode',
      body: confirmRequest,
      responses: { 200: { description: 'The number is verified.', schema: confirmResponse } },
      errors: [
        'verification_not_found',
        'verification_code_wrong',
        'verification_expired',
        'verification_attempts_exceeded',
      ],
      handler: async ({ tenant, sandbox, userId, body }) => {
        const done = await verifications.confirm({ tenant, sandbox, userId }, body.phone_number, body.code);
        return reply(200, {
          phone_number: body.phone_number,
          status: 'approved' as const,
          verified_at: done.verifiedAt.toISOString(),
          phone_number_ids: [...done.phoneIds],
          user_verified: done.user,
        });
      },
    }),
  ];
}
