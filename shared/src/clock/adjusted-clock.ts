import { type Clock, sleepOn, type Timer } from './clock.js';

/**
 * How far two clocks may be apart before one follows the other, in ms: more than a slow answer makes them seem to be,
 * and less than what leases and heartbeats bear.
 */
const TOLERATED_MS = 2000;

/** An answer of the clock to follow: what it showed, and what ours showed before and after. Epoch ms. */
export interface ClockReading {
  readonly theirs: number;
  readonly askedAt: number;
  readonly answeredAt: number;
}

/**
 * Returns by how much to set our clock forward, in ms: not at all while the two agree about as well as the answer can
 * show. Pure.
 */
export function correctionOf({ theirs, askedAt, answeredAt }: ClockReading): number {
  const difference = theirs - (askedAt + answeredAt) / 2;
  const uncertainty = Math.abs(answeredAt - askedAt) / 2;
  return Math.abs(difference) <= TOLERATED_MS + uncertainty ? 0 : Math.round(difference);
}

/**
 * A clock that shows another host's time where the machine's own differs from it. Durations and timers are the
 * machine's: only timestamps are compared between hosts.
 */
export class AdjustedClock implements Clock {
  readonly #own: Clock;
  #offsetMs = 0;

  constructor(own: Clock) {
    this.#own = own;
  }

  /**
   * Asks the other host and follows its clock from now on, which `timeOf` finds in the answer (epoch ms; undefined: it
   * does not say). A failure changes nothing, and is the caller's.
   * @returns the answer, and by how much this clock was set forward, in ms
   */
  async follow<Answer>(
    ask: () => Promise<Answer>,
    timeOf: (answer: Answer) => number | undefined,
  ): Promise<{ readonly answer: Answer; readonly correctedMs: number }> {
    const askedAt = this.now();
    const began = this.#own.monotonic();
    const answer = await ask();
    const answeredAt = askedAt + this.#own.monotonic() - began;
    const theirs = timeOf(answer);
    const correctedMs = theirs === undefined ? 0 : correctionOf({ theirs, askedAt, answeredAt });
    this.#offsetMs += correctedMs;
    return { answer, correctedMs };
  }

  now(): number {
    return this.#own.now() + this.#offsetMs;
  }

  monotonic(): number {
    return this.#own.monotonic();
  }

  schedule(delayMs: number, task: () => void): Timer {
    return this.#own.schedule(delayMs, task);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }
}
