import type { Clock, Timer } from '@voice/shared/clock/clock';

/** How often it is looked at, in ms: once a frame of audio. */
const SAMPLE_MS = 20;
/** The same while nobody would notice, in ms: every look wakes the process. */
const IDLE_SAMPLE_MS = 1000;
/** What it is judged by, in ms: long enough that one slow turn of the loop is no overload. */
const WINDOW_MS = 5000;

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
  readonly #samples = new Float64Array(WINDOW_MS / SAMPLE_MS);
  #count = 0;
  #timer: Timer | undefined;

  /** @param isIdle whether nobody talks */
  constructor(clock: Clock, isIdle: () => boolean) {
    this.#clock = clock;
    this.#isIdle = isIdle;
  }

  start(): void {
    this.#schedule();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Returns percentiles by nearest rank; 0 before anything was measured. */
  read(): Lag {
    const kept = this.#samples.slice(0, Math.min(this.#count, this.#samples.length)).sort();
    const at = (share: number) => kept[Math.max(0, Math.ceil(share * kept.length) - 1)] ?? 0;
    return { p50Ms: at(0.5), p99Ms: at(0.99) };
  }

  #schedule(): void {
    const delayMs = this.#isIdle() ? IDLE_SAMPLE_MS : SAMPLE_MS;
    const dueAt = this.#clock.monotonic() + delayMs;
    this.#timer = this.#clock.schedule(delayMs, () => {
      const lagMs = Math.max(0, this.#clock.monotonic() - dueAt);
      this.#samples[this.#count++ % this.#samples.length] = lagMs;
      this.#schedule();
    });
  }
}
