import { e164, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { type Route, reply, route } from '../../platform/http/route.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { OperatorAudit } from '../operator-actions/audit.js';
import type { CallDocument } from '../record/model.js';
import { TRANSFER_TYPES } from './model.js';
import type { Transfers } from './transfers.js';

const callTransfer = z
  .strictObject({
    destination: e164.describe(
      'Of a human: an ordinary number, no premium, personal or satellite one. With a sandbox key: a carrier test number.',
    ),
    transfer_type: z
      .enum(TRANSFER_TYPES)
      .default('cold')
      .describe(
        '`cold`: connected at once. `warm`: the human is rung and briefed first; the caller stays until then.',
      ),
    briefing: z.string().trim().min(1).max(500).optional().describe('What the human hears first (warm).'),
  })
  .meta({ id: 'CallTransfer' });

const callTransferResponse = z
  .object({
    call_id: uuid,
    transfer_id: uuid,
    status: z.enum(['transferred', 'in_progress']).describe('`in_progress`: the human is being rung.'),
    transfer_to: e164,
    transfer_type: z.enum(TRANSFER_TYPES),
  })
  .meta({ id: 'CallTransferResponse' });

export interface TransferRoutesOptions {
  readonly transfers: Transfers;
  readonly audit: OperatorAudit;
  /** Throws 404 `call_not_found`. */
  readonly requireCall: (scope: TenantScope, callId: string) => Promise<CallDocument>;
}

export function transferRoutes({ transfers, audit, requireCall }: TransferRoutesOptions): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/calls/{call_id}/transfer',
      operationId: 'transferCall',
      tag: 'Calls',
      summary: 'Transfer a live call to a human',
      description: "In the way of the call's carrier; one transfer at a time.",
      auth: 'tenant_in_mode',
      params: z.object({ call_id: uuid }),
      body: callTransfer,
      responses: { 200: { description: 'How far the transfer is.', schema: callTransferResponse } },
      errors: [
        'call_not_found',
        'call_not_active',
        'transfer_not_possible',
        'transfer_in_progress',
        'sandbox_number_required',
        'carrier_error',
        'carrier_timeout',
      ],
      handler: async ({ scope, params, body, keyId, actor, resourceId }) => {
        const call = await requireCall(scope, params.call_id);
        const asked = {
          id: resourceId,
          callId: call._id,
          action: 'transfer',
          apiKeyId: keyId,
          actor,
          details: { destination: body.destination, transfer_type: body.transfer_type },
        } as const;
        const done = await audit.run(scope.tenant, asked, () =>
          transfers.transfer(scope.tenant, call, {
            id: resourceId,
            destination: body.destination,
            type: body.transfer_type,
            toolCallId: null,
            ...(body.briefing === undefined ? {} : { briefing: body.briefing }),
          }),
        );
        return reply(200, {
          call_id: call._id,
          transfer_id: done._id,
          status: done.stage === 'transferred' ? ('transferred' as const) : ('in_progress' as const),
          transfer_to: done.destination,
          transfer_type: done.transfer_type,
        });
      },
    }),
  ];
}
