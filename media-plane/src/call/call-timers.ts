import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { TimerName } from './turn-taking/events.js';

/** Runs the reducer's timers on the process's clock, one of each name. */
export class CallTimers {
  readonly #timers = new Map<TimerName, Timer>();
  readonly #clock: Clock;
  readonly #onFired: (name: TimerName) => void;

  constructor(clock: Clock, onFired: (name: TimerName) => void) {
    this.#clock = clock;
    this.#onFired = onFired;
  }

  /** Replaces one of the same name. */
  set(name: TimerName, delayMs: number): void {
    this.cancel(name);
    const timer = this.#clock.schedule(Math.max(0, delayMs), () => {
      this.#timers.delete(name);
      this.#onFired(name);
    });
    this.#timers.set(name, timer);
  }

  cancel(name: TimerName): void {
    this.#timers.get(name)?.cancel();
    this.#timers.delete(name);
  }

  cancelAll(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}
