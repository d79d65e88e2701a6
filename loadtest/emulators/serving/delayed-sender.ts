import type { Clock, Timer } from '@voice/shared/clock/clock';

/** Sends messages after their delays, in the order in which they were given, as one connection does. */
export class DelayedSender {
  readonly #clock: Clock;
  readonly #send: (text: string) => void;
  readonly #timers = new Set<Timer>();
  #waiting: (() => void)[] = [];
  #lastDueAt = 0;

  constructor(clock: Clock, send: (text: string) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  /** Sends the message `delayMs` from now, or when the one before it goes, whichever is later. */
  send(message: unknown, delayMs: number): void {
    const text = JSON.stringify(message);
    this.#at(delayMs, () => this.#send(text));
  }

  /** Runs `task` when all that was given before has been sent. */
  afterAll(task: () => void): void {
    this.#at(0, task);
  }

  cancel(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#waiting = [];
  }

  #at(delayMs: number, task: () => void): void {
    const now = this.#clock.monotonic();
    this.#lastDueAt = Math.max(this.#lastDueAt, now + delayMs);
    if (this.#lastDueAt <= now && this.#timers.size === 0) {
      task();
      return;
    }
    this.#waiting.push(task);
    // Timers round to whole ms, so two may fire the other way round: whichever fires runs the oldest.
    const timer = this.#clock.schedule(this.#lastDueAt - now, () => {
      this.#timers.delete(timer);
      this.#waiting.shift()?.();
    });
    this.#timers.add(timer);
  }
}
