import { type Clock, sleepOn, systemClock } from '@voice/shared/clock/clock';

/** Counts how many timers of a clock are set, by default the machine's, for tests that nothing is left behind. */
export class CountingClock implements Clock {
  readonly #clock: Clock;
  #pending = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get pending(): number {
    return this.#pending;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  schedule(delayMs: number, task: () => void) {
    this.#pending += 1;
    let done = false;
    const finish = () => {
      if (!done) this.#pending -= 1;
      done = true;
    };
    const timer = this.#clock.schedule(delayMs, () => {
      finish();
      task();
    });
    return {
      cancel: () => {
        timer.cancel();
        finish();
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }
}
