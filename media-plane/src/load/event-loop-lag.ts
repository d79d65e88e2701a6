import type { Clock, Timer } from '@voice/shared/clock/clock';

/** How often it is looked at, in ms: once a frame of audio. */
const SAMPLE_MS = 20;
/** The same while nobody would notice, in ms: every look wakes the process. */
const IDLE_SAMPLE_MS = 1000;
/** What it is judged by, in ms: long enough that one slow turn of the loop is no overload. */
const WINDOW_MS = 5000;
/** The 99th percentile of a full window is its third-highest look: of fewer looks it takes as many to show lateness. */
const LEAST_LATE = 3;

/** How late the process is for what is due, in ms, over the last seconds. */
export interface Lag {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Measures how late the event loop is: a timer of 20 ms, and how long after its time it ran. A frame of a call that is
 * due waits as long.
 */
export class EventLoopLag {
  readonly #clock: Clock;
  readonly #isIdle: () => boolean;
  /** The newest looks, in a ring: when each was taken, monotonic ms, and how late it was. */
  readonly #takenAt = new Float64Array(WINDOW_MS / SAMPLE_MS);
  readonly #samples = new Float64Array(WINDOW_MS / SAMPLE_MS);
  #count = 0;
  #startedAt = 0;
  #timer: Timer | undefined;

  /** @param isIdle whether nobody talks */
  constructor(clock: Clock, isIdle: () => boolean) {
    this.#clock = clock;
    this.#isIdle = isIdle;
  }

  start(): void {
    this.#startedAt = this.#clock.monotonic();
    this.#schedule();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /**
   * Returns percentiles by nearest rank of the last five seconds; 0 before anything was measured. Where few looks were
   * taken, because nobody talks or the process has just started, a single late one is not the 99th percentile.
   */
  read(): Lag {
    const now = this.#clock.monotonic();
    const kept = this.#since(now - WINDOW_MS);
    const at = (index: number) => kept[index] ?? 0;
    const rank = Math.min(Math.ceil(0.99 * kept.length), kept.length - LEAST_LATE + 1);
    // A whole window in which it came to so few looks was blocked.
    const wasBlocked = rank < 1 && now - this.#startedAt >= WINDOW_MS;
    return {
      p50Ms: at(Math.ceil(0.5 * kept.length) - 1),
      p99Ms: at(wasBlocked ? kept.length - 1 : rank - 1),
    };
  }

  /** Returns how late the looks after this moment were, in ascending order. */
  #since(moment: number): Float64Array {
    const filled = Math.min(this.#count, this.#samples.length);
    const isKept = (_: number, index: number) => index < filled && this.#takenAt[index]! > moment;
    return this.#samples.filter(isKept).sort();
  }

  #schedule(): void {
    const delayMs = this.#isIdle() ? IDLE_SAMPLE_MS : SAMPLE_MS;
    const dueAt = this.#clock.monotonic() + delayMs;
    this.#timer = this.#clock.schedule(delayMs, () => {
      const now = this.#clock.monotonic();
      const index = this.#count++ % this.#samples.length;
      this.#takenAt[index] = now;
      this.#samples[index] = Math.max(0, now - dueAt);
      this.#schedule();
    });
  }
}
