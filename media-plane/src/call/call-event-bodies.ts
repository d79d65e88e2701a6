import type { CallEventBody, TranscriptTurn } from '@voice/shared/contracts/call-events';
import type { Effect } from './turn-taking/effects.js';

/** The longest message of a notice, in characters: the control plane takes no longer one. */
const LONGEST_MESSAGE = 500;
/** What is kept of one turn's words, in characters: nobody speaks for a quarter of an hour without a pause. */
const LONGEST_TURN = 20_000;

/** Builds a notice for the call's timeline. */
export function noticeEvent(code: string, message: string): CallEventBody {
  return { kind: 'notice', code, message: message.slice(0, LONGEST_MESSAGE) };
}

/** Builds the event of a transcript turn, its times in whole ms. Models and recognisers may be a tenant's own. */
export function turnEvent(turn: TranscriptTurn): CallEventBody {
  return {
    kind: 'turn',
    turn: {
      ...turn,
      text: turn.text.slice(0, LONGEST_TURN),
      heard_text: turn.heard_text.slice(0, LONGEST_TURN),
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
