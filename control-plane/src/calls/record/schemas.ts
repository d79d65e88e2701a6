import {
  callUsage,
  lineStatistics,
  toolExecution,
  transcriptTurn,
  turnMetrics,
} from '@voice/shared/contracts/call-events';
import { callDirection, callStatus, e164, endReason, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { totalFields } from '../../platform/http/totals.js';
import { callAnalysis } from './analysis-presenter.js';

const timestamp = z.iso.datetime();
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'letters, digits and underscores');

/** JSON without a limit on depth, but on size. */
const metadata = z
  .record(z.string().min(1).max(64), z.unknown())
  .refine((value) => JSON.stringify(value).length <= 16_384, 'must not be larger than 16 KB as JSON');

export const callCreate = z
  .strictObject({
    agent_id: uuid,
    from_number: e164.describe('A verified number of the tenant, attested A.'),
    to_number: e164.describe('With a sandbox key: a carrier test number.'),
    compliance_check_id: uuid
      .optional()
      .describe('An earlier check for the same numbers, not older than 15 minutes.'),
    variables: z
      .record(variableName, z.union([z.string().max(4000), z.number(), z.boolean()]))
      .default({})
      .describe(
        'Rendered into prompt and first message as `{{name}}`; a name that is missing becomes nothing.',
      ),
    metadata: metadata.default({}).describe('Kept with the call and given back.'),
  })
  .meta({ id: 'CallCreate' });
export type CallCreate = z.infer<typeof callCreate>;

export const testCallRequest = z
  .strictObject({
    agent_id: uuid,
    to_number: e164
      .optional()
      .describe('Needed with a production key; with a sandbox key the test person who talks is the default.'),
    from_number: e164.optional().describe('Default: a verified number of the tenant.'),
    variables: callCreate.shape.variables,
  })
  .meta({ id: 'TestCallRequest' });
export type TestCallRequest = z.infer<typeof testCallRequest>;

export const callCreateResponse = z
  .object({
    id: uuid,
    call_id: uuid.describe('The same as `id`.'),
    status: z.literal('queued'),
    compliance_check_id: uuid,
  })
  .meta({ id: 'CallCreateResponse' });
export type CallCreateResponse = z.infer<typeof callCreateResponse>;

/** USD. */
const money = z.number();
const callCost = z
  .object({
    stt: money,
    llm: money.describe('Language models, speech-to-speech ones and the analysis included.'),
    tts: money,
    carrier: money,
    service: money,
    total: money,
    wasted: money
      .optional()
      .describe(
        'What of `llm` and `tts` was of no use, as a part of them: answers begun early that were dropped, models ' +
          'beside which another was faster, and what of an answer was not heard. Absent where that is nothing.',
      ),
    currency: z.literal('usd').describe('Of all the amounts.'),
  })
  .meta({ id: 'CallCost' });

export const callResponse = z
  .object({
    id: uuid,
    agent_id: uuid,
    agent_version: z
      .int()
      .nullable()
      .describe(
        'The version of the agent that it began with; null for calls from before there were versions.',
      ),
    status: callStatus,
    direction: callDirection,
    from_number: e164.nullable().describe('Null where it was the other side’s and is erased.'),
    to_number: e164.nullable().describe('Null where it was the other side’s and is erased.'),
    recording_url: z.url().nullable().describe('Short-lived; null while there is no recording.'),
    is_test_call: z.boolean(),
    extra: z.object({ transfer_in_progress: z.boolean() }).meta({ title: 'CallExtra' }),
    carrier: z.string(),
    carrier_call_id: z.string().nullable(),
    campaign_id: uuid.nullable(),
    contact_id: uuid.nullable(),
    compliance_check_id: uuid.nullable().describe('Null where no carrier was asked to dial.'),
    worker_id: z.string().nullable(),
    answered_by: z.string().nullable().describe('Answering-machine detection of the carrier.'),
    queued_at: timestamp,
    ringing_at: timestamp.nullable(),
    started_at: timestamp.nullable(),
    ended_at: timestamp.nullable(),
    duration_ms: z.number().nullable(),
    end_reason: endReason.nullable(),
    outcome: z.string().nullable(),
    summary: z.string().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    cost: callCost
      .nullable()
      .describe("The final sum, the call's analysis included; null until the call is analysed."),
    metadata: z.record(z.string(), z.unknown()),
    created_at: timestamp,
    updated_at: timestamp,
    erased_at: timestamp
      .nullable()
      .describe('When all that names or quotes somebody was erased; null for a call that is whole.'),
  })
  .meta({ id: 'CallResponse' });
export type CallResponse = z.infer<typeof callResponse>;

export const callListResponse = z
  .object({
    calls: z.array(callResponse),
    matches: z
      .array(
        z
          .object({
            call_id: uuid,
            role: transcriptTurn.shape.role,
            text: z.string(),
            started_at_ms: z.number().describe('From the beginning of the call, in milliseconds.'),
          })
          .meta({ id: 'TranscriptMatch' }),
      )
      .optional()
      .describe('Only with `q`: the first turn of each of these calls in which it was said.'),
    search: z
      .object({
        looked_through: z.int().min(0).describe('Calls that were looked through for this page.'),
        unreadable: z
          .int()
          .min(0)
          .describe(
            'How many of them lie in an archive that cannot be read now: what was said in them is not searched.',
          ),
      })
      .meta({ id: 'TranscriptSearchProgress' })
      .optional()
      .describe('Only with `q`: how far this page got.'),
    ...totalFields,
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'CallListResponse' });
export type CallListResponse = z.infer<typeof callListResponse>;

const percentile = z.number().nullable();
const stagePercentiles = z
  .object({
    end_of_turn_delay_ms: percentile,
    stt_final_ms: percentile,
    llm_first_token_ms: percentile,
    tts_first_audio_ms: percentile,
    response_latency_ms: percentile,
    barge_in_latency_ms: percentile,
    waveform_response_latency_ms: percentile,
    waveform_barge_in_latency_ms: percentile,
  })
  .meta({ title: 'StagePercentiles' });
export type StagePercentiles = z.infer<typeof stagePercentiles>;

/** A turn's figures by the worker, and those of the recording. */
const measuredTurn = turnMetrics
  .extend({ waveform_response_latency_ms: percentile, waveform_barge_in_latency_ms: percentile })
  .meta({ title: 'TurnMetrics' });

const timelineEvent = z
  .object({
    id: uuid,
    type: z.string(),
    at: timestamp,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ title: 'TimelineEvent' });
export type TimelineEvent = z.infer<typeof timelineEvent>;

export const callDetailResponse = callResponse
  .extend({
    agents: z
      .array(
        z
          .object({
            agent_id: uuid,
            from_ms: z.number().nonnegative().describe('Since the media stream began, in ms.'),
          })
          .meta({ title: 'CallSpeaker' }),
      )
      .describe('Who spoke from when on: more than one where an agent handed the call to another.'),
    transcript: z.array(transcriptTurn),
    tool_executions: z.array(toolExecution),
    metrics: z.object({
      turns: z.array(measuredTurn),
      p50: stagePercentiles,
      p95: stagePercentiles,
      line: lineStatistics
        .nullable()
        .describe('How the connection did, as last reported; null where the line does not know (carriers).'),
    }),
    usage: callUsage
      .nullable()
      .describe(
        'What providers did, by the count of the worker; tokens of a realtime agent by modality. Null until the end.',
      ),
    analysis: callAnalysis.nullable().describe('Null while there is none.'),
    events: z
      .array(timelineEvent)
      .describe(
        'What happened, in order. `call.corrected`: the call had been given up as `worker_lost`, and its media worker ' +
          'turned out to have written down how it ended.',
      ),
  })
  .meta({ id: 'CallDetailResponse' });
export type CallDetailResponse = z.infer<typeof callDetailResponse>;

export const recordingUrlResponse = z
  .object({
    recording_url: z.url(),
    url: z.url().describe('The same as `recording_url`.'),
    expires_at: timestamp,
    duration_ms: z.number().nullable(),
  })
  .meta({ id: 'RecordingUrlResponse' });

export const hangupRequest = z
  .strictObject({ reason: z.string().max(500).optional() })
  .meta({ id: 'HangupRequest' })
  .optional();
export const hangupResponse = z
  .object({
    call_id: uuid,
    status: z.enum(['hanging_up', 'already_ended']),
  })
  .meta({ id: 'HangupResponse' });
