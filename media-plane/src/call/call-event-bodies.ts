import type { CallEventBody, TranscriptTurn } from '@voice/shared/contracts/call-events';
import type { Effect } from './turn-taking/effects.js';

/** Builds a notice for the call's timeline. */
export function noticeEvent(code: string, message: string): CallEventBody {
  return { kind: 'notice', code, message };
}

/** Builds the event of a transcript turn, its times in whole ms. */
export function turnEvent(turn: TranscriptTurn): CallEventBody {
  return {
    kind: 'turn',
    turn: {
      ...turn,
      started_at_ms: Math.round(turn.started_at_ms),
      ended_at_ms: Math.round(turn.ended_at_ms),
    },
  };
}

type EndedEvent = Extract<CallEventBody, { kind: 'ended' }>;

/** Builds a call's last event. */
export function endedEvent(
  { reason, errorCode, errorMessage }: Extract<Effect, { type: 'hang_up' }>,
  {
    durationMs,
    usage,
    hasRecording,
  }: { readonly durationMs: number; readonly usage: EndedEvent['usage']; readonly hasRecording: boolean },
): CallEventBody {
  return {
    kind: 'ended',
    end_reason: reason,
    duration_ms: durationMs,
    error_code: errorCode,
    error_message: errorMessage,
    usage,
    has_recording: hasRecording,
  };
}
