import type { Clock } from '@voice/shared/clock/clock';

export interface RetryTimesOptions {
  readonly clock: Clock;
  /** Wait after the first failure, in ms; doubles with each further one of the same item. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Knows when each of several items that failed is tried again, so that a bad one does not hold up the others. */
export class RetryTimes {
  readonly #options: RetryTimesOptions;
  readonly #failed = new Map<string, { readonly dueAt: number; readonly waitMs: number }>();

  constructor(options: RetryTimesOptions) {
    this.#options = options;
  }

  isDue(item: string): boolean {
    const failed = this.#failed.get(item);
    return failed === undefined || this.#options.clock.monotonic() >= failed.dueAt;
  }

  /** Returns which of the items comes first: one that has not failed, else the one that is due first. */
  first(items: Iterable<string>): string | undefined {
    let first: { readonly item: string; readonly dueAt: number } | undefined;
    for (const item of items) {
      const dueAt = this.#failed.get(item)?.dueAt;
      if (dueAt === undefined) return item;
      if (!first || dueAt < first.dueAt) first = { item, dueAt };
    }
    return first?.item;
  }

  failed(item: string): void {
    const { clock, firstMs, maxMs } = this.#options;
    const before = this.#failed.get(item);
    const waitMs = before ? Math.min(maxMs, before.waitMs * 2) : firstMs;
    this.#failed.set(item, { dueAt: clock.monotonic() + waitMs, waitMs });
  }

  /** Puts the item behind the others for no fault of its own: its wait does not grow. */
  postponed(item: string): void {
    const { clock, firstMs } = this.#options;
    const waitMs = this.#failed.get(item)?.waitMs ?? firstMs;
    this.#failed.set(item, { dueAt: clock.monotonic() + firstMs, waitMs });
  }

  done(item: string): void {
    this.#failed.delete(item);
  }

  /** Returns after how many ms the first of the items is due. */
  untilDue(items: readonly string[]): number {
    const now = this.#options.clock.monotonic();
    return Math.max(0, Math.min(...items.map((item) => (this.#failed.get(item)?.dueAt ?? now) - now)));
  }
}
