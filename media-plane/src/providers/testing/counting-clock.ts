import { type Clock, sleepOn, systemClock } from '@voice/shared/clock/clock';

/** Counts how many timers of the machine's clock are set, for tests that nothing is left behind. */
export class CountingClock implements Clock {
  #pending = 0;

  get pending(): number {
    return this.#pending;
  }

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  schedule(delayMs: number, task: () => void) {
    this.#pending += 1;
    let done = false;
    const finish = () => {
      if (!done) this.#pending -= 1;
      done = true;
    };
    const timer = systemClock.schedule(delayMs, () => {
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
