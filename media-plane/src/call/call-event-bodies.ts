import type { CallEventBody, TranscriptTurn } from '@voice/shared/contracts/call-events';

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
