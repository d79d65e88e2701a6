import type { TurnMetrics } from '@voice/shared/contracts/call-events';

/** When the stages of a turn were over, in ms from the end of the caller's speech; null where one did not happen. */
export interface TurnStages {
  readonly endOfTurnMs: number | null;
  readonly finalTextMs: number | null;
  readonly firstTokenMs: number | null;
  readonly firstAudioMs: number | null;
  readonly responseMs: number | null;
  /** Whether the answer was begun before the turn was over. */
  readonly preempted: boolean;
}

/** The same as it is stored: the fields' order is the order of their values, 1 stands for true. */
export type StoredTurnStages = (number | null)[];

/** Turns of a call that are kept: more say nothing new of its providers. */
const MOST_TURNS = 50;

/** Returns what is kept of a call's turns in its record of usage. Pure. */
export function storedStages(turns: readonly TurnMetrics[]): StoredTurnStages[] {
  return turns
    .filter((turn) => turn.response_latency_ms !== null)
    .slice(0, MOST_TURNS)
    .map((turn) => [
      turn.end_of_turn_delay_ms,
      turn.stt_final_ms,
      turn.llm_first_token_ms,
      turn.tts_first_audio_ms,
      turn.response_latency_ms,
      turn.preempted ? 1 : 0,
    ]);
}

/** Returns the stages of turns as they were stored. Pure. */
export function turnStages(stored: readonly StoredTurnStages[]): TurnStages[] {
  return stored.map(([endOfTurn, finalText, firstToken, firstAudio, response, preempted]) => ({
    endOfTurnMs: endOfTurn ?? null,
    finalTextMs: finalText ?? null,
    firstTokenMs: firstToken ?? null,
    firstAudioMs: firstAudio ?? null,
    responseMs: response ?? null,
    preempted: preempted === 1,
  }));
}
