const FIRST_MS = 1000;
const MOST_MS = 30_000;
/** One that lived this long had nothing wrong with its start. */
const SOUND_AFTER_MS = 60_000;

/**
 * Computes how long to wait before a process that ended is started again: at once the first time, then longer and
 * longer.
 */
export class RestartBackoff {
  #failures = 0;

  /** @param livedMs how long it had run; 0 where it did not come up. @returns ms */
  next(livedMs: number): number {
    if (livedMs >= SOUND_AFTER_MS) this.#failures = 0;
    const delay = this.#failures === 0 ? 0 : Math.min(FIRST_MS * 2 ** (this.#failures - 1), MOST_MS);
    this.#failures += 1;
    return delay;
  }
}
