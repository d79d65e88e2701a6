import type { Draft, State, Turn } from './state.js';

/**
 * The deadline of an answer, over all its models, voices and repetitions: whatever hangs, the caller hears an apology
 * by then and can speak again. Tools have times of their own, and their result begins a new answer.
 */

/** Returns when the answer that the caller waits for must have made a sound. */
export function answerDeadline(state: State): number | null {
  const turn = owedTurn(state);
  return turn ? deadlineOf(state, turn) : null;
}

/** Returns whether there is still time to try the answer once more. */
export function hasTime({ state, at }: Draft, turn: Turn): boolean {
  const deadline = deadlineOf(state, turn);
  return turn.phase !== 'preparing' || deadline === null || at < deadline;
}

function deadlineOf({ options }: State, { owedSince }: Turn): number | null {
  if (owedSince === null || options.turnDeadlineMs === undefined) return null;
  return owedSince + options.turnDeadlineMs;
}

/** Returns the answer that the caller waits for and that has no sound yet. */
export function owedTurn({ turns, tools, closing }: State): Turn | undefined {
  if (closing) return undefined;
  return turns.find(
    (turn) =>
      turn.owedSince !== null &&
      turn.phase === 'preparing' &&
      !turn.audioReady &&
      !turn.mute &&
      !tools.some((run) => run.turn === turn.id),
  );
}
