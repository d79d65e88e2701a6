import { type Clock, sleepOn, type Timer } from './clock.js';

interface Scheduled {
  at: number;
  order: number;
  task: () => void;
}

/** Moves only when the test says so. */
export class ScriptedClock implements Clock {
  #elapsedMs = 0;
  #order = 0;
  #scheduled: Scheduled[] = [];
  readonly #epochMs: number;

  constructor(epochMs = Date.UTC(2026, 0, 5, 15, 0, 0)) {
    this.#epochMs = epochMs;
  }

  now(): number {
    return this.#epochMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  schedule(delayMs: number, task: () => void): Timer {
    const entry: Scheduled = { at: this.#elapsedMs + Math.max(0, delayMs), order: this.#order++, task };
    this.#scheduled.push(entry);
    return {
      cancel: () => {
        this.#scheduled = this.#scheduled.filter((other) => other !== entry);
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Timers that have been set and neither fired nor been cancelled. */
  get pending(): number {
    return this.#scheduled.length;
  }

  /** Moves time on by `ms`, running what falls due in order. Timers set on the way run too. */
  advance(ms: number): void {
    const until = this.#elapsedMs + ms;
    for (;;) {
      const due = this.#scheduled
        .filter((entry) => entry.at <= until)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (!due) break;
      this.#scheduled = this.#scheduled.filter((entry) => entry !== due);
      this.#elapsedMs = due.at;
      due.task();
    }
    this.#elapsedMs = until;
  }

  /**
   * Moves time on by `ms` at once, as for a machine that slept: what was due meanwhile runs once, at the
   * new time. For long times, in which what repeats would run too often.
   */
  jump(ms: number): void {
    this.#elapsedMs += ms;
    const overdue = this.#scheduled
      .filter((entry) => entry.at <= this.#elapsedMs)
      .sort((a, b) => a.at - b.at || a.order - b.order);
    for (const entry of overdue) {
      if (!this.#scheduled.includes(entry)) continue;
      this.#scheduled = this.#scheduled.filter((other) => other !== entry);
      entry.task();
    }
  }

  /** Advances like `advance`, but lets promises settle after every step of at most `stepMs`. */
  async advanceAsync(ms: number, stepMs = 20): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.advance(Math.min(stepMs, left));
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}
