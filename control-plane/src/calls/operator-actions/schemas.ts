import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { actorResponse } from '../../platform/http/actor.js';
import { wholeListFields } from '../../platform/http/whole-list.js';
import { ACTION_STATUSES, OPERATOR_ACTIONS, type OperatorActionRow } from './model.js';

export const whisperRequest = z
  .strictObject({
    text: z.string().trim().min(1).max(4000).describe("A note that is added to the agent's context."),
  })
  .meta({ id: 'WhisperRequest' });

export const nudgeRequest = z
  .strictObject({ preset_id: uuid.describe("A nudge preset of the call's agent.") })
  .meta({ id: 'NudgeRequest' });

export const actionAccepted = z
  .object({
    call_id: uuid,
    action_id: uuid.describe("The row in the call's operator actions."),
    status: z.literal('accepted'),
  })
  .meta({ id: 'OperatorActionAccepted' });

const operatorAction = z
  .object({
    id: uuid,
    call_id: uuid,
    action: z.enum(OPERATOR_ACTIONS),
    api_key_id: z.string().describe('The credential that asked for it.'),
    actor: actorResponse.nullable().describe('Who asked for it; null in rows from before it was kept.'),
    details: z.record(z.string(), z.unknown()).describe('What was asked for.'),
    status: z
      .enum(ACTION_STATUSES)
      .describe('`requested`: written before the command left; what became of it is not known.'),
    error_code: z.string().nullable(),
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'OperatorAction' });

export const operatorActionListResponse = z
  .object({
    operator_actions: z.array(operatorAction).describe('All of them, newest first.'),
    total: z.number().int(),
    ...wholeListFields,
  })
  .meta({ id: 'OperatorActionListResponse' });

export function presentAction(row: OperatorActionRow): z.output<typeof operatorAction> {
  return {
    id: row._id,
    call_id: row.call_id,
    action: row.action,
    api_key_id: row.api_key_id,
    actor: row.actor ?? null,
    details: JSON.parse(row.details) as Record<string, unknown>,
    status: row.status,
    error_code: row.error_code,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
