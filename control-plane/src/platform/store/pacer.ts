/** How often batches go out where nobody waits for a command to be sent at once. */
export interface Pace {
  /** Batches that go out without a pause, after a time without any. */
  readonly burst: number;
  /** From one batch to the next beyond those, in ms. */
  readonly everyMs: number;
}

/** For what follows a call: ten at once, then ten a second, each with all that came meanwhile. */
export const UNHURRIED: Pace = { burst: 10, everyMs: 100 };

/** Says when the next batch may go out. Times are monotonic, in ms. */
export class Pacer {
  readonly #pace: Pace;
  /** When the batches that went out would have ended, had each taken its time. */
  #paidUntil = Number.NEGATIVE_INFINITY;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Returns how long the next batch waits, in ms, and counts it. */
  pauseBefore(now: number): number {
    const { burst, everyMs } = this.#pace;
    const pause = Math.max(0, this.#paidUntil - (burst - 1) * everyMs - now);
    this.#paidUntil = Math.max(this.#paidUntil, now + pause) + everyMs;
    return pause;
  }
}
