import { FRAME_MS } from '@voice/shared/audio/g711';
import type { Clock, Timer } from '@voice/shared/clock/clock';

/** Behind by more than this, the lost time is given up instead of sent in one burst, in ms. */
const GIVE_UP_MS = 1000;

/**
 * Calls every subscriber once per 20 ms of real time: deadlines are absolute, so a late timer is made up for
 * and nothing drifts. One timer for all calls; none while there is no call.
 */
export class FrameTicker {
  readonly #clock: Clock;
  readonly #subscribers = new Set<() => void>();
  #timer: Timer | undefined;
  #nextMs = 0;
  #firing = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins 20 ms from now at the latest; answers how to end. */
  subscribe(onFrame: () => void): () => void {
    this.#subscribers.add(onFrame);
    if (!this.#timer && !this.#firing) {
      this.#nextMs = this.#clock.monotonic() + FRAME_MS;
      this.#schedule();
    }
    return () => {
      this.#subscribers.delete(onFrame);
      if (this.#subscribers.size > 0) return;
      this.#timer?.cancel();
      this.#timer = undefined;
    };
  }

  #schedule(): void {
    const wait = Math.max(0, this.#nextMs - this.#clock.monotonic());
    this.#timer = this.#clock.schedule(wait, () => this.#fire());
  }

  #fire(): void {
    const now = this.#clock.monotonic();
    this.#timer = undefined;
    this.#firing = true;
    if (now - this.#nextMs > GIVE_UP_MS) this.#nextMs = now;
    for (; this.#nextMs <= now; this.#nextMs += FRAME_MS) {
      for (const subscriber of [...this.#subscribers]) {
        if (this.#subscribers.has(subscriber)) subscriber();
      }
    }
    this.#firing = false;
    if (this.#subscribers.size > 0) this.#schedule();
  }
}
