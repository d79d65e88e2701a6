import { uuid } from '@voice/shared/contracts/primitives';
import type { TenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import { type Route, reply, route } from '../http/route.js';
import type { OperatorAudit } from './audit.js';
import type { CallNotes } from './call-notes.js';
import {
  actionAccepted,
  nudgeRequest,
  operatorActionListResponse,
  presentAction,
  whisperRequest,
} from './schemas.js';

const tag = 'Calls';
const callParams = z.object({ call_id: uuid });

export interface OperatorActionRoutesDeps {
  readonly audit: OperatorAudit;
  readonly notes: CallNotes;
  /** Throws 404 `call_not_found`. */
  readonly requireCall: (tenant: TenantId, callId: string) => Promise<unknown>;
}

export function operatorActionRoutes({ audit, notes, requireCall }: OperatorActionRoutesDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/calls/{call_id}/whisper',
      operationId: 'whisper',
      tag,
      summary: 'Whisper to the agent',
      description:
        "Adds an operator's note to the agent's context; the other side does not hear it. The audit row is written first.",
      auth: 'tenant',
      params: callParams,
      body: whisperRequest,
      responses: { 202: { description: 'The agent has the note.', schema: actionAccepted } },
      errors: ['call_not_found', 'call_not_active', 'worker_unreachable'],
      handler: async ({ tenant, params, body, keyId, resourceId }) => {
        await notes.whisper(tenant, params.call_id, body.text, { id: resourceId, apiKeyId: keyId });
        return reply(202, { call_id: params.call_id, action_id: resourceId, status: 'accepted' as const });
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/calls/{call_id}/nudge',
      operationId: 'nudge',
      tag,
      summary: 'Nudge the agent with a preset',
      description: "Whispers a nudge preset of the call's agent.",
      auth: 'tenant',
      params: callParams,
      body: nudgeRequest,
      responses: { 202: { description: 'The agent has the note.', schema: actionAccepted } },
      errors: ['call_not_found', 'nudge_preset_not_found', 'call_not_active', 'worker_unreachable'],
      handler: async ({ tenant, params, body, keyId, resourceId }) => {
        await notes.nudge(tenant, params.call_id, body.preset_id, { id: resourceId, apiKeyId: keyId });
        return reply(202, { call_id: params.call_id, action_id: resourceId, status: 'accepted' as const });
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/calls/{call_id}/operator-actions',
      operationId: 'listOperatorActions',
      tag,
      summary: 'List what operators did to a call',
      description: 'The full audit log: whispers, nudges, transfers and hang-ups.',
      auth: 'tenant',
      params: callParams,
      responses: { 200: { description: 'The audit log.', schema: operatorActionListResponse } },
      errors: ['call_not_found'],
      handler: async ({ tenant, params }) => {
        await requireCall(tenant, params.call_id);
        const rows = await audit.list(tenant, params.call_id);
        return reply(200, {
          operator_actions: rows.map(presentAction),
          total: rows.length,
          has_more: false as const,
          next_cursor: null,
        });
      },
    }),
  ];
}
