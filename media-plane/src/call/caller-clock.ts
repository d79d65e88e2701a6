import { FRAME_MS } from '@voice/shared/audio/g711';

/**
 * Places the caller's frames on the call's clock. The frame that came soonest shows where the stream stands: the first
 * ones are often late on a busy machine, and the rest catches up.
 */
export class CallerClock {
  /** Position 0 of the stream, in ms since the call began here; before it where that is late. */
  #offsetMs = Number.POSITIVE_INFINITY;

  /**
   * Returns when the frame was spoken, in ms since the call began here; negative: before it.
   * @param positionMs of its beginning, in the stream @param now when it came
   */
  place(positionMs: number, now: number): number {
    this.#offsetMs = Math.min(this.#offsetMs, now - FRAME_MS - positionMs);
    return positionMs + this.#offsetMs;
  }
}
