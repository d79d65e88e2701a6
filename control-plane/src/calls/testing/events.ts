import { type CallEventBody, MEDIA_STREAM_MISSING } from '@voice/shared/contracts/call-events';
import type { EndReason } from '@voice/shared/contracts/primitives';

export const mediaStarted = (carrierCallId: string): CallEventBody => ({
  kind: 'media_started',
  carrier_call_id: carrierCallId,
  stream_id: 'MZ0',
});

export const agentMessage = (index: number, text: string, heard = text): CallEventBody => ({
  kind: 'turn',
  turn: {
    index,
    role: 'agent',
    text,
    heard_text: heard,
    interrupted: heard !== text,
    started_at_ms: index * 1000,
    ended_at_ms: index * 1000 + 900,
    confidence: null,
  },
});

export const metricsOf = (
  turn: number,
  responseLatencyMs: number,
): Extract<CallEventBody, { kind: 'turn_metrics' }> => ({
  kind: 'turn_metrics',
  metrics: {
    turn,
    end_of_turn_delay_ms: null,
    stt_final_ms: null,
    llm_first_token_ms: null,
    tts_first_audio_ms: null,
    response_latency_ms: responseLatencyMs,
    barge_in_latency_ms: null,
    preempted: false,
  },
});

/** What a worker says of a place to which no media stream came. */
export const streamMissing = (): CallEventBody => ({
  ...ended('carrier_failed', 0),
  error_code: MEDIA_STREAM_MISSING,
  error_message: 'The carrier did not open the media stream in time.',
});

export const ended = (reason: EndReason, durationMs: number): Extract<CallEventBody, { kind: 'ended' }> => ({
  kind: 'ended',
  end_reason: reason,
  duration_ms: durationMs,
  error_code: null,
  error_message: null,
  usage: {
    stt: { provider: 'local', model: '', audio_ms: durationMs },
    llm: { provider: 'local', model: '', input_tokens: 1, output_tokens: 1 },
    tts: { provider: 'local', model: '', characters: 1 },
  },
  has_recording: false,
});
