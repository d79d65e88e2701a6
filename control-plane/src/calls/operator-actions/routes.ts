import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { type Route, reply, route } from '../../platform/http/route.js';
import { WHOLE_LIST } from '../../platform/http/whole-list.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { OperatorAudit } from './audit.js';
import type { CallNotes } from './call-notes.js';
import type { RecordingControl } from './recording-control.js';
import {
  actionAccepted,
  nudgeRequest,
  operatorActionListResponse,
  presentAction,
  whisperRequest,
} from './schemas.js';

const tag = 'Calls';
const callParams = z.object({ call_id: uuid });

export interface OperatorActionRoutesOptions {
  readonly audit: OperatorAudit;
  readonly notes: CallNotes;
  readonly recordingControl: RecordingControl;
  /** Throws 404 `call_not_found`. */
  readonly requireCall: (scope: TenantScope, callId: string) => Promise<unknown>;
}

export function operatorActionRoutes({
  audit,
  notes,
  recordingControl,
  requireCall,
}: OperatorActionRoutesOptions): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/calls/{call_id}/whisper',
      operationId: 'whisper',
      tag,
      summary: 'Whisper to the agent',
      description:
        "Adds an operator's note to the agent's context; the other side does not hear it. The audit row is written first.",
      auth: 'tenant_in_mode',
      params: callParams,
      body: whisperRequest,
      responses: {
        202: {
          description: 'The agent has the note, or will when its line is open.',
          schema: actionAccepted,
        },
      },
      errors: ['call_not_found', 'call_not_active', 'worker_unreachable'],
      handler: async ({ scope, params, body, keyId, actor, resourceId }) => {
        await notes.whisper(scope, params.call_id, body.text, { id: resourceId, apiKeyId: keyId, actor });
        return reply(202, { call_id: params.call_id, action_id: resourceId, status: 'accepted' as const });
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/calls/{call_id}/nudge',
      operationId: 'nudge',
      tag,
      summary: 'Nudge the agent with a preset',
      description:
        "Whispers a nudge preset of the call's agent, from IN_PROGRESS on, as `POST /api/v1/calls/{call_id}/whisper`.",
      auth: 'tenant_in_mode',
      params: callParams,
      body: nudgeRequest,
      responses: {
        202: {
          description: 'The agent has the note, or will when its line is open.',
          schema: actionAccepted,
        },
      },
      errors: ['call_not_found', 'nudge_preset_not_found', 'call_not_active', 'worker_unreachable'],
      handler: async ({ scope, params, body, keyId, actor, resourceId }) => {
        await notes.nudge(scope, params.call_id, body.preset_id, { id: resourceId, apiKeyId: keyId, actor });
        return reply(202, { call_id: params.call_id, action_id: resourceId, status: 'accepted' as const });
      },
    }),
    ...(['pause', 'resume'] as const).map((change) =>
      route({
        method: 'post',
        path: `/api/v1/calls/{call_id}/recording/${change}`,
        operationId: `${change}CallRecording`,
        tag,
        summary: change === 'pause' ? 'Stop recording for a while' : 'Go on recording',
        description:
          change === 'pause'
            ? 'Nothing of either side is recorded from here on, until it is resumed or the call ends. The audit row ' +
              'is written first. Around tools marked `sensitive` the recording pauses by itself.'
            : 'What was said in between is not in the recording. The audit row is written first.',
        auth: 'tenant_in_mode',
        params: callParams,
        responses: { 202: { description: 'The worker has the command.', schema: actionAccepted } },
        errors: ['call_not_found', 'call_not_active', 'not_recorded', 'worker_unreachable'],
        handler: async ({ scope, params, keyId, actor, resourceId }) => {
          await recordingControl.change(scope, params.call_id, change, {
            id: resourceId,
            apiKeyId: keyId,
            actor,
          });
          return reply(202, { call_id: params.call_id, action_id: resourceId, status: 'accepted' as const });
        },
      }),
    ),
    route({
      method: 'get',
      path: '/api/v1/calls/{call_id}/operator-actions',
      operationId: 'listOperatorActions',
      tag,
      summary: 'List what operators did to a call',
      description: 'The full audit log: whispers, nudges, transfers, hang-ups, pauses of the recording.',
      auth: 'tenant_in_mode',
      params: callParams,
      responses: { 200: { description: 'The audit log.', schema: operatorActionListResponse } },
      errors: ['call_not_found'],
      handler: async ({ scope, params }) => {
        await requireCall(scope, params.call_id);
        const rows = await audit.list(scope.tenant, params.call_id);
        return reply(200, {
          operator_actions: rows.map(presentAction),
          total: rows.length,
          ...WHOLE_LIST,
        });
      },
    }),
  ];
}
