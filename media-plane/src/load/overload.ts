import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Lag } from './event-loop-lag.js';

/** How often the lag is judged, in ms. */
const JUDGE_MS = 1000;
/** An overload is over when the lag has fallen below this share of its limit. */
const OVER_BELOW = 0.5;

export interface OverloadOptions {
  readonly clock: Clock;
  readonly lag: () => Lag;
  /** The lag's 99th percentile above which no more calls are taken, in ms; 0: none is too much. */
  readonly limitMs: number;
  readonly onChange: (isOverloaded: boolean, lag: Lag) => void;
}

/**
 * Decides whether the worker takes more calls: not while its event loop is late, so that those who already talk keep
 * their quality. Takes calls again only when the lag has clearly fallen.
 */
export class Overload {
  readonly #options: OverloadOptions;
  #lag: Lag = { p50Ms: 0, p99Ms: 0 };
  #isOverloaded = false;
  #timer: Timer | undefined;

  constructor(options: OverloadOptions) {
    this.#options = options;
  }

  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  /** Returns the lag as it was last judged. */
  get lag(): Lag {
    return this.#lag;
  }

  start(): void {
    this.#timer = this.#options.clock.schedule(JUDGE_MS, () => {
      this.#judge();
      this.start();
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #judge(): void {
    const { lag, limitMs, onChange } = this.#options;
    this.#lag = lag();
    const isOverloaded = isTooLate(this.#lag.p99Ms, limitMs, this.#isOverloaded);
    if (isOverloaded === this.#isOverloaded) return;
    this.#isOverloaded = isOverloaded;
    onChange(isOverloaded, this.#lag);
  }
}

/** Judges a lag, with hysteresis. Pure. */
function isTooLate(p99Ms: number, limitMs: number, wasTooLate: boolean): boolean {
  if (limitMs === 0) return false;
  return p99Ms > (wasTooLate ? limitMs * OVER_BELOW : limitMs);
}
