import type { Clock } from '@voice/shared/clock/clock';

export interface StaleCacheOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Entries that are kept; those that were asked for longest ago go first. */
  readonly size: number;
  /** For how long a value is served without asking, in ms. */
  readonly freshMs: number;
  /** For how long it is served when asking fails, in ms. */
  readonly staleMs: number;
}

export interface Cached<Value> {
  readonly value: Value;
  /** Epoch ms. */
  readonly fetchedAt: number;
  /** Whether it is old, and could not be had anew; the reason. */
  readonly failure: unknown;
}

interface Entry<Value> {
  readonly value: Value;
  readonly fetchedAt: number;
}

/** Keeps what is slow to get. Askers at the same time share one request; what is old is served where getting fails. */
export class StaleCache<Value> {
  readonly #options: StaleCacheOptions;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #loading = new Map<string, Promise<Entry<Value>>>();

  constructor(options: StaleCacheOptions) {
    this.#options = options;
  }

  /** Throws what `load` throws where nothing is kept that is young enough. */
  async get(key: string, load: () => Promise<Value>): Promise<Cached<Value>> {
    const { clock, freshMs, staleMs } = this.#options;
    const known = this.#entries.get(key);
    if (known) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      if (clock.now() - known.fetchedAt < freshMs) return { ...known, failure: null };
    }
    try {
      return { ...(await this.#load(key, load)), failure: null };
    } catch (failure) {
      if (!known || clock.now() - known.fetchedAt >= staleMs) throw failure;
      return { ...known, failure };
    }
  }

  #load(key: string, load: () => Promise<Value>): Promise<Entry<Value>> {
    const running = this.#loading.get(key);
    if (running) return running;
    const loading = load()
      .then((value) => {
        const entry = { value, fetchedAt: this.#options.clock.now() };
        this.#entries.delete(key);
        this.#entries.set(key, entry);
        const [oldest] = this.#entries.keys();
        if (this.#entries.size > this.#options.size && oldest !== undefined) this.#entries.delete(oldest);
        return entry;
      })
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }
}
