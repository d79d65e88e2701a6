/** Flushes that a connection takes in a minute (developers.deepgram.com, "Flush", limits). */
const FLUSHES = 20;
const WINDOW_MS = 60_000;

/** Counts the flushes of one connection, which the vendor limits: beyond the limit it ignores them with a warning. */
export class FlushBudget {
  #spentAt: number[] = [];

  constructor(readonly now: () => number) {}

  get left(): number {
    const since = this.now() - WINDOW_MS;
    this.#spentAt = this.#spentAt.filter((at) => at > since);
    return FLUSHES - this.#spentAt.length;
  }

  spend(): void {
    this.#spentAt.push(this.now());
  }
}
