import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { apiError } from '../../platform/http/error-codes.js';
import { type Route, reply, route } from '../../platform/http/route.js';
import type { Attestations } from './attestations.js';
import { ATTESTATIONS } from './model.js';
import { phoneNumberResponse, presentNumber } from './schemas.js';

/** Declares the routes of what the operator of the installation decides of numbers. */
export function phoneInternalRoutes(attestations: Attestations): Route[] {
  return [
    route({
      method: 'put',
      path: '/internal/phones/{phone_id}/attestation',
      operationId: 'operatorSetAttestation',
      tag: 'Internal',
      summary: "Set a number's STIR/SHAKEN attestation; null: unknown again",
      description:
        'Counts before whatever carriers say. Numbers that are attested B or C are not dialed with.',
      auth: 'inter_plane',
      params: z.object({ phone_id: uuid }),
      body: z.strictObject({ attestation: z.enum(ATTESTATIONS).nullable() }),
      responses: { 200: { description: 'The number.', schema: phoneNumberResponse } },
      errors: ['phone_number_not_found'],
      handler: async ({ params, body }) => {
        const number = await attestations.setByOperator(params.phone_id, body.attestation);
        if (!number) throw apiError('phone_number_not_found');
        return reply(200, presentNumber(number));
      },
    }),
  ];
}
