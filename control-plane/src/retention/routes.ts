import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import type { OperatorAudit } from '../calls/operator-actions/audit.js';
import { type Route, reply, route } from '../platform/http/route.js';
import type { Erasure, ErasureState } from './erasure.js';
import { callErasureResponse } from './schemas.js';

export interface RetentionRoutesOptions {
  readonly erasure: Erasure;
  readonly audit: OperatorAudit;
}

/** Declares the route by which a call is erased on request. */
export function retentionRoutes({ erasure, audit }: RetentionRoutesOptions): Route[] {
  return [
    route({
      method: 'delete',
      path: '/api/v1/calls/{call_id}',
      operationId: 'eraseCall',
      tag: 'Calls',
      summary: 'Erase a call',
      description:
        'Erases for good what names, quotes or describes somebody: recording, transcript, tool inputs and outputs, ' +
        'events, summary and extracted data, variables, metadata, the number of the other side, and its contact ' +
        'where nothing is left to dial for it. What was counted stays: status, times, outcome, cost, ledger. The ' +
        'call can be read on, with those fields null or empty and `erased_at` set. The audit row is written first.',
      auth: 'tenant_in_mode',
      params: z.object({ call_id: uuid }),
      responses: {
        200: { description: 'The call is erased.', schema: callErasureResponse },
        202: {
          description:
            'It is shown no more, and is erased by and by: its end is not all out, or the storage is away.',
          schema: callErasureResponse,
        },
      },
      errors: ['call_not_found', 'call_active'],
      handler: async ({ scope, params, keyId, actor, resourceId }) => {
        const call = await erasure.require(scope, params.call_id);
        const asked = {
          id: resourceId,
          callId: call._id,
          action: 'erase',
          apiKeyId: keyId,
          actor,
          details: {},
        } as const;
        const { status, erasedAt } = call.erasing_at
          ? stateOf(call.erased_at ?? null)
          : await audit.run(scope.tenant, asked, () => erasure.request(call));
        return reply(status === 'erased' ? 200 : 202, {
          call_id: call._id,
          status,
          erased_at: erasedAt?.toISOString() ?? null,
        });
      },
    }),
  ];
}

function stateOf(erasedAt: Date | null): ErasureState {
  return { status: erasedAt ? 'erased' : 'erasing', erasedAt };
}
