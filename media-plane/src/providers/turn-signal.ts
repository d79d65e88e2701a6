const turns = new WeakMap<AbortSignal, AbortSignal>();

/** Notes of which turn a try is a part, that has an abort of its own. */
export function followTurn(attempt: AbortSignal, turn: AbortSignal): void {
  turns.set(attempt, turnOf(turn));
}

/** Returns the signal of the turn that a try is a part of; itself where it is the turn's own. */
export function turnOf(signal: AbortSignal): AbortSignal {
  return turns.get(signal) ?? signal;
}
