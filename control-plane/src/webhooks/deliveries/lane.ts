/** Most attempts at once to one destination, by each replica. */
export const MAX_LANE_CONCURRENCY = 16;
/** Few until the receiver has shown that it answers: many slow ones at once must not use up the sockets. */
const INITIAL_CONCURRENCY = 4;

export type Outcome = 'ok' | 'failed' | 'not_sent';

/**
 * The attempts to one destination. A receiver that answers well is sent more at once; one that fails or
 * is slow is soon sent one at a time, so that it holds neither sockets nor leases that others need.
 */
export class Lane<Work> {
  /** Attempts of one key are made one after another; null: in no order. */
  readonly #keyOf: (work: Work) => string | null;
  /** Keys of attempts under way. */
  readonly #keys = new Set<string>();
  #limit = INITIAL_CONCURRENCY;
  #inFlight = 0;
  readonly #waiting: Work[] = [];
  /** Whether more was due in the store than there was room for. */
  backlog = false;

  constructor(keyOf: (work: Work) => string | null = () => null) {
    this.#keyOf = keyOf;
  }

  /** Attempts under way and waiting. */
  get held(): number {
    return this.#inFlight + this.#waiting.length;
  }

  /** How many more to claim: enough to be busy until the next claim. */
  get room(): number {
    return Math.max(0, this.#limit * 2 - this.held);
  }

  /** Whether a claim is worth its queries again. */
  get hungry(): boolean {
    return this.backlog && this.room >= this.#limit;
  }

  add(work: Work): void {
    this.#waiting.push(work);
  }

  /** Returns the next attempt to make now, if there is one and it may be. */
  next(): Work | undefined {
    if (this.#inFlight >= this.#limit) return undefined;
    const index = this.#waiting.findIndex((work) => !this.#keys.has(this.#keyOf(work) ?? ''));
    if (index < 0) return undefined;
    const [work] = this.#waiting.splice(index, 1);
    if (work === undefined) return undefined;
    const key = this.#keyOf(work);
    if (key !== null) this.#keys.add(key);
    this.#inFlight++;
    return work;
  }

  finished(work: Work, outcome: Outcome): void {
    const key = this.#keyOf(work);
    if (key !== null) this.#keys.delete(key);
    this.#inFlight--;
    if (outcome === 'ok') this.#limit = Math.min(MAX_LANE_CONCURRENCY, this.#limit + 1);
    if (outcome === 'failed') this.#limit = Math.max(1, this.#limit >> 1);
  }

  /** Returns what waits and will not be sent from here. */
  drain(): Work[] {
    return this.#waiting.splice(0);
  }
}
