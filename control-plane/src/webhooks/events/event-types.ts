import { callDirection, e164, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';

/** The public event catalog: each type with what it means and its data, from the specification's section 6. */

const call = {
  call_id: uuid,
  agent_id: uuid,
  direction: callDirection,
  from: e164,
  to: e164,
  agents: z
    .array(
      z
        .object({
          agent_id: uuid,
          from_ms: z.number().nonnegative().describe('Since the media stream began, in ms.'),
        })
        .meta({ title: 'CallSpeaker' }),
    )
    .optional()
    .describe('Who spoke from when on; only where the call was handed from one agent to another.'),
};
const campaign = { campaign_id: uuid, total_contacts: z.number().int().nonnegative() };
const agent = { agent_id: uuid };
const recordingUrlExpiresAt = z
  .string()
  .describe(
    'When `recording_url` stops to open (RFC 3339). `GET /api/v1/calls/{id}/recording` makes a fresh one.',
  );
/** How the call of a campaign's contact can end. */
const CONTACT_END_STATUSES = ['completed', 'failed', 'busy', 'no_answer', 'voicemail'] as const;
const count = z.number().int().nonnegative();

export const EVENT_TYPES = {
  'call.started': {
    description: 'The call was answered and its pipeline runs.',
    data: z.object({ ...call }),
  },
  'call.completed': {
    description:
      'The pipeline ended successfully, or at an answering machine (`status`). Held until outcome, summary and ' +
      'recording are there or have failed, at most 15 seconds after the end; what comes later is null here and ' +
      'arrives with an event of its own.',
    data: z.object({
      ...call,
      status: z.enum(['COMPLETED', 'VOICEMAIL']).describe('How the call ended.'),
      duration_ms: z.number().nonnegative(),
      outcome: z.string().nullable(),
      recording_url: z.string().nullable(),
      recording_url_expires_at: recordingUrlExpiresAt.nullable(),
      summary: z.string().nullable(),
      cost_usd: z
        .number()
        .nonnegative()
        .nullable()
        .describe(
          'What the call cost, as billed. Where its analysis was not there in time, what the conversation alone ' +
            'cost: the final sum is `cost` of `GET /api/v1/calls/{id}`. Null where the usage is not known yet.',
        ),
    }),
  },
  'call.failed': {
    description:
      'The pipeline ended in error, or nobody was reached: `status` distinguishes a failure from a busy line and from no ' +
      'answer, whose `error_code` is `busy` or `no_answer`.',
    data: z.object({
      ...call,
      status: z.enum(['FAILED', 'BUSY', 'NO_ANSWER']).describe('How the call ended.'),
      error_code: z.string(),
      error_message: z.string(),
    }),
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
    data: z.object({
      ...call,
      recording_url: z.string(),
      recording_url_expires_at: recordingUrlExpiresAt,
      duration_ms: z.number().nonnegative(),
    }),
  },
  'analysis.ready': {
    description:
      'The analysis after the call is complete, or was skipped because nothing was said (`status`).',
    data: z.object({
      ...call,
      status: z
        .enum(['complete', 'skipped'])
        .describe('Without a word there is nothing to analyse: `skipped`.'),
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
    description:
      "A contact's call ended. Held like `call.completed`, so that it carries the outcome; `status` says how the " +
      'call itself ended.',
    data: z.object({
      ...campaign,
      contact_id: uuid,
      call_id: uuid.nullable(),
      outcome: z.string().nullable().describe('The outcome label of the analysis; null where there is none.'),
      status: z.enum(CONTACT_END_STATUSES).describe('How the call to the contact ended.'),
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
