import { z } from 'zod';
import { type Route, reply, route } from '../../../platform/http/route.js';
import { CALLBACK_LIMIT_BYTES, callbackOf } from '../adapter.js';
import type { TelnyxIntake } from './intake.js';

/** Declares the one route to which Telnyx sends all its events. */
export function telnyxRoutes(telnyx: TelnyxIntake, publicUrl: () => string): Route[] {
  return [
    route({
      method: 'post',
      path: '/internal/carriers/telnyx/events',
      operationId: 'telnyx_events',
      tag: 'Internal',
      summary: 'What Telnyx reports of calls; signed with Ed25519',
      auth: 'none',
      bodyLimitBytes: CALLBACK_LIMIT_BYTES,
      responses: { 200: { description: 'Heard.', schema: z.object({ status: z.literal('ok') }) } },
      errors: ['invalid_signature', 'malformed_request', 'carrier_error', 'carrier_timeout'],
      handler: async ({ rawBody, request }) => {
        await telnyx.accept(callbackOf({ rawBody, request }, publicUrl));
        return reply(200, { status: 'ok' as const });
      },
    }),
  ];
}
