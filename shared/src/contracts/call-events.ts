import { z } from 'zod';
import { endReason, ms, uuid } from './primitives.js';
import { LONGEST_BRIEFING } from './transfer-times.js';

/** One transcript turn. `_at_ms` and `_ms` positions count from the start of the media stream. */
export const transcriptTurn = z
  .object({
    index: z.number().int().nonnegative(),
    role: z.enum(['caller', 'agent', 'operator', 'tool']),
    text: z.string(),
    /** What of `text` the other side heard; the same unless interrupted. */
    heard_text: z.string(),
    interrupted: z.boolean(),
    started_at_ms: ms,
    ended_at_ms: ms,
    /** 0..1, of the recogniser; null for the agent. */
    confidence: z.number().min(0).max(1).nullable(),
    /** Who said a turn of the agent, in a call that was handed from one agent to another. */
    agent_id: uuid.optional(),
  })
  .meta({ title: 'TranscriptTurn' });
export type TranscriptTurn = z.infer<typeof transcriptTurn>;

export const toolExecution = z
  .object({
    tool_call_id: z.string(),
    name: z.string(),
    arguments: z.unknown(),
    result: z.unknown(),
    status: z.enum(['succeeded', 'failed', 'timed_out', 'cancelled']),
    started_at_ms: ms,
    ended_at_ms: ms,
  })
  .meta({ title: 'ToolExecution' });
export type ToolExecution = z.infer<typeof toolExecution>;

/**
 * How one turn of the agent went, in ms; null where the stage did not happen. All but the barge-in
 * count from the end of the caller's last speech frame, as it was spoken: jitter counts, a delay that the line has all the
 * time does not.
 */
export const turnMetrics = z
  .object({
    turn: z.number().int().nonnegative(),
    end_of_turn_delay_ms: ms.nullable(),
    stt_final_ms: ms.nullable(),
    llm_first_token_ms: ms.nullable(),
    tts_first_audio_ms: ms.nullable(),
    /** To the first agent audio frame written to the carrier. */
    response_latency_ms: ms.nullable(),
    /** From the caller's first speech frame to the last agent frame before silence. */
    barge_in_latency_ms: ms.nullable(),
    /** Whether a speculative generation was kept. */
    preempted: z.boolean(),
    /** When that first frame was written, and when the agent fell silent for the caller; since the media stream began. */
    audible_at_ms: ms.nullable().optional(),
    silenced_at_ms: ms.nullable().optional(),
  })
  .meta({ title: 'TurnMetrics' });
export type TurnMetrics = z.infer<typeof turnMetrics>;

const usageSource = {
  provider: z.string(),
  /** The model that was used, also where the agent named none; empty where the provider has but one. */
  model: z.string(),
  /** Whether it replaced the agent's first choice. */
  fallback: z.boolean(),
  /** Whose it was, of an agent that the call was handed to. */
  agent_id: uuid.optional(),
};

const tokens = z.number().int().nonnegative();

/** Tokens of a speech-to-speech model by modality; cached ones are part of the input's. */
const realtimeTokens = {
  audio_ms: ms,
  input_audio_tokens: tokens,
  input_text_tokens: tokens,
  cached_audio_tokens: tokens,
  cached_text_tokens: tokens,
  output_audio_tokens: tokens,
  output_text_tokens: tokens,
};

/** What one model of one provider did of a kind. */
export const usageSegment = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('stt'), ...usageSource, audio_ms: ms }),
    z.object({
      kind: z.literal('llm'),
      ...usageSource,
      input_tokens: z.number().int().nonnegative(),
      output_tokens: z.number().int().nonnegative(),
      /** Of them estimated by the text: the answer was broken off before the provider said what it counted. */
      estimated_input_tokens: tokens.optional(),
      estimated_output_tokens: tokens.optional(),
    }),
    z.object({ kind: z.literal('tts'), ...usageSource, characters: z.number().int().nonnegative() }),
    z.object({ kind: z.literal('realtime'), ...usageSource, ...realtimeTokens }),
  ])
  .meta({ title: 'UsageSegment' });
export type UsageSegment = z.infer<typeof usageSegment>;

/** Why something was used in vain. */
export const WASTE_REASONS = ['dropped_guess', 'lost_race', 'cut_speech'] as const;
const wasteSource = {
  ...usageSource,
  /**
   * An answer begun before the caller's turn was over that did not fit it; a model beside which another was faster;
   * what of an answer was not heard, because the caller spoke or the call ended.
   */
  reason: z.enum(WASTE_REASONS),
};

/** What of the usage was of no use, as a part of it. */
export const usageWaste = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('llm'), ...wasteSource, input_tokens: tokens, output_tokens: tokens }),
    z.object({ kind: z.literal('tts'), ...wasteSource, characters: tokens }),
  ])
  .meta({ title: 'UsageWaste' });
export type UsageWaste = z.infer<typeof usageWaste>;

/**
 * What was consumed, for the cost breakdown: totals under the names of the agent's first choices, and by whom.
 * Without segments, the first choices did it all.
 */
export const callUsage = z
  .object({
    stt: z.object({ provider: z.string(), model: z.string(), audio_ms: ms }),
    llm: z.object({
      provider: z.string(),
      model: z.string(),
      input_tokens: z.number().int().nonnegative(),
      output_tokens: z.number().int().nonnegative(),
    }),
    tts: z.object({ provider: z.string(), model: z.string(), characters: z.number().int().nonnegative() }),
    /** Of a speech-to-speech agent; the three above then hold what its fallback did. */
    realtime: z.object({ provider: z.string(), model: z.string(), ...realtimeTokens }).optional(),
    segments: z.array(usageSegment).max(100).optional(),
    wasted: z.array(usageWaste).max(200).optional(),
  })
  .meta({ title: 'CallUsage' });
export type CallUsage = z.infer<typeof callUsage>;

/** Figures of the connection since it began; times in ms. */
export const lineStatistics = z
  .object({
    packets_received: tokens,
    packets_lost: tokens,
    /** Frames of 20 ms made up by concealment. */
    concealed_frames: tokens,
    jitter_ms: ms,
    buffer_ms: ms,
    round_trip_ms: ms.nullable(),
    sent_bits_per_second: z.number().nonnegative(),
    received_bits_per_second: z.number().nonnegative(),
  })
  .meta({ title: 'LineStatistics' });
export type LineStatisticsRecord = z.infer<typeof lineStatistics>;

const base = {
  call_id: uuid,
  /** 1, 2, 3 … per call: the control plane drops repeats by call and number. */
  seq: z.number().int().positive(),
  /** Epoch ms. */
  at: z.number(),
};

export const callEvent = z.discriminatedUnion('kind', [
  /** The carrier opened the media stream. */
  z.object({ ...base, kind: z.literal('media_started'), carrier_call_id: z.string(), stream_id: z.string() }),
  /** A turn was finished, or a published one changed; the last event for an index counts. */
  z.object({ ...base, kind: z.literal('turn'), turn: transcriptTurn }),
  z.object({ ...base, kind: z.literal('tool_execution'), execution: toolExecution }),
  z.object({ ...base, kind: z.literal('turn_metrics'), metrics: turnMetrics }),
  z.object({ ...base, kind: z.literal('dtmf'), digit: z.string().max(1), at_ms: ms }),
  /** The agent asks for a transfer; answered by the command `transfer_result`. */
  z.object({
    ...base,
    kind: z.literal('transfer_requested'),
    tool_call_id: z.string(),
    destination: z.string(),
    transfer_type: z.enum(['warm', 'cold']),
    /** What the human hears first (warm). */
    briefing: z.string().min(1).max(LONGEST_BRIEFING).optional(),
    /** Epoch ms. After it the caller is not brought over any more. */
    give_up_at: z.number().optional(),
  }),
  /** Another agent of the tenant has taken the call over: whatever the agent says from `at_ms` on is said by that one. */
  z.object({
    ...base,
    kind: z.literal('agent_handoff'),
    tool_call_id: z.string(),
    from_agent_id: uuid,
    agent_id: uuid,
    agent_name: z.string(),
    reason: z.string(),
    summary: z.string(),
    at_ms: ms,
  }),
  /** How the line itself did (WebRTC), at the end and every ten seconds; the last one counts. */
  z.object({ ...base, kind: z.literal('line_statistics'), statistics: lineStatistics }),
  /** A budget was passed, a provider was replaced, and the like: shown in the timeline. */
  z.object({ ...base, kind: z.literal('notice'), code: z.string().max(64), message: z.string().max(500) }),
  /** The last event of a call. */
  z.object({
    ...base,
    kind: z.literal('ended'),
    end_reason: endReason,
    /** From the start of the media stream; 0 where there was none. */
    duration_ms: ms,
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    usage: callUsage,
    /** Whether a recording will be uploaded. */
    has_recording: z.boolean(),
  }),
]);
export type CallEvent = z.infer<typeof callEvent>;
/** `error_code` of a call that has ended because its media stream did not come. */
export const MEDIA_STREAM_MISSING = 'media_stream_missing';
export type CallEventKind = CallEvent['kind'];
/** An event before it is numbered and stamped. */
export type CallEventBody = CallEvent extends infer E
  ? E extends CallEvent
    ? Omit<E, 'call_id' | 'seq' | 'at'>
    : never
  : never;

/** Worker to control plane: `POST /internal/events`, all its calls in one batch, at least once. */
export const eventBatch = z.object({ worker_id: z.string(), events: z.array(callEvent).min(1).max(1000) });
export type EventBatch = z.infer<typeof eventBatch>;

/**
 * Which events of the batch are now durable or were known before; the worker may forget exactly these.
 * `rejected` ones (unknown call, malformed) will never be accepted and are dropped with a log line.
 */
export const eventBatchReply = z.object({
  accepted: z.array(z.object({ call_id: uuid, seq: z.number().int() })),
  rejected: z.array(z.object({ call_id: z.string(), seq: z.number().int(), code: z.string() })),
});
export type EventBatchReply = z.infer<typeof eventBatchReply>;

/**
 * After `ended`, the worker uploads what it kept on disk until each was accepted (2xx):
 * `PUT /internal/calls/{call_id}/recording` (audio/mpeg, header `x-duration-ms`) and
 * `PUT /internal/calls/{call_id}/decision-log` (application/x-ndjson). Both are idempotent.
 */
export const RECORDING_DURATION_HEADER = 'x-duration-ms';
