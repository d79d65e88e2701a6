import { callDirection, e164, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';

/** The public event catalog: each type with what it means and its data, from the specification's section 6. */

const call = {
  call_id: uuid,
  agent_id: uuid,
  direction: callDirection,
  from: e164,
  to: e164,
};
const campaign = { campaign_id: uuid, total_contacts: z.number().int().nonnegative() };
const agent = { agent_id: uuid };
const count = z.number().int().nonnegative();

export const EVENT_TYPES = {
  'call.started': {
    description: 'The call was answered and its pipeline runs.',
    data: z.object({ ...call }),
  },
  'call.completed': {
    description: 'The pipeline ended successfully.',
    data: z.object({
      ...call,
      duration_ms: z.number().nonnegative(),
      outcome: z.string().nullable(),
      recording_url: z.string().nullable(),
      summary: z.string().nullable(),
      cost_usd: z
        .number()
        .nonnegative()
        .nullable()
        .describe(
          'What the conversation cost. Its analysis, which comes later, is in `cost` of ' +
            '`GET /api/v1/calls/{id}`: the final sum, and what is billed. Null where the usage is not known yet.',
        ),
    }),
  },
  'call.failed': {
    description: 'The pipeline ended in error.',
    data: z.object({ ...call, error_code: z.string(), error_message: z.string() }),
  },
  'call.hangup': {
    description: 'Either side hung up mid-call.',
    data: z.object({ ...call, end_reason: z.string() }),
  },
  'call.transferred': {
    description: 'The call was transferred to a human.',
    data: z.object({ ...call, transfer_to: e164, transfer_type: z.enum(['warm', 'cold']) }),
  },
  'transcript.ready': {
    description: 'The transcript is stored.',
    data: z.object({ ...call, turns_count: count, transcript_url: z.string() }),
  },
  'recording.ready': {
    description: 'The MP3 recording is stored.',
    data: z.object({ ...call, recording_url: z.string(), duration_ms: z.number().nonnegative() }),
  },
  'analysis.ready': {
    description: 'The analysis after the call is complete.',
    data: z.object({
      ...call,
      outcome: z.string().nullable(),
      summary: z.string().nullable(),
      scorecard: z.record(z.string(), z.unknown()).nullable(),
      tool_executions: z.array(z.record(z.string(), z.unknown())),
    }),
  },
  'campaign.started': {
    description: 'The campaign dispatched its first contact.',
    data: z.object({ ...campaign }),
  },
  'campaign.completed': {
    description: 'All contacts of the campaign have finished.',
    data: z.object({ ...campaign, success_count: count, failure_count: count, no_answer_count: count }),
  },
  'campaign.contact.completed': {
    description: "A contact's call ended.",
    data: z.object({
      ...campaign,
      contact_id: uuid,
      call_id: uuid.nullable(),
      outcome: z.string().nullable(),
    }),
  },
  'agent.activated': {
    description: "The agent's kill switch was switched on again.",
    data: z.object({ ...agent }),
  },
  'agent.deactivated': {
    description: "The agent's kill switch was switched off.",
    data: z.object({ ...agent }),
  },
  'usage.credit_exhausted': {
    description: 'The free or prepaid credit reached zero, or will within 24 hours (`in_advance`).',
    data: z.object({ tenant_id: uuid, last_call_id: uuid.nullable(), in_advance: z.boolean() }),
  },
  'usage.daily_cap_approaching': {
    description: "The day's spending reached 80 % of its limit.",
    data: z.object({ spent_usd: z.number().nonnegative(), limit_usd: z.number().nonnegative() }),
  },
} as const satisfies Record<string, { description: string; data: z.ZodType }>;

export type EventType = keyof typeof EVENT_TYPES;
export type EventData<T extends EventType> = z.output<(typeof EVENT_TYPES)[T]['data']>;

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(EVENT_TYPES, name);
}
