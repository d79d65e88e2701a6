/** So many ends within the window, and the process is not started again. */
export const GIVE_UP_AFTER = 10;
const WINDOW_MS = 60_000;
const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 2000;

/**
 * When a process that ended is started again: at once after the first end of a minute, then ever later; not at all
 * after ten within one minute, for then it ends by something that another start does not mend.
 */
export class RestartPolicy {
  #ends: readonly number[] = [];

  /** Returns the delay until the next start, in ms; undefined when there is to be none. `now`: monotonic, ms. */
  afterEnd(now: number): number | undefined {
    this.#ends = [...this.#ends.filter((at) => now - at < WINDOW_MS), now];
    if (this.#ends.length >= GIVE_UP_AFTER) return undefined;
    return Math.min(LAST_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#ends.length - 1));
  }
}
