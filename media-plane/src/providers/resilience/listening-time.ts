import type { Clock } from '@voice/shared/clock/clock';

/** What the line may take between two frames without it being a stall, in ms. */
const LONGEST_GAP_MS = 200;

/**
 * Counts the time in which audio comes, in ms. While the line stalls there is nothing that a recogniser could answer,
 * and what then comes all at once it has had no time to answer.
 */
export class ListeningTime {
  readonly #clock: Clock;
  #countedMs = 0;
  #lastFrameAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastFrameAt = clock.monotonic();
  }

  get ms(): number {
    return this.#countedMs + Math.min(this.#clock.monotonic() - this.#lastFrameAt, LONGEST_GAP_MS);
  }

  /** Notes that a frame came. */
  frame(): void {
    this.#countedMs = this.ms;
    this.#lastFrameAt = this.#clock.monotonic();
  }
}
