/** For how long a content is remembered, in ms: a page is opened, and asks several times. */
const REMEMBERED_MS = 60_000;
/** How many characters of events are remembered in all; those of one call are some thousand. */
const MOST_CHARACTERS = 8_000_000;

interface Remembered {
  readonly events: Promise<readonly string[]>;
  readonly until: number;
  /** 0 until it is read. */
  size: number;
}

/** Remembers the events of the calls that were asked for last; those who ask at the same time read once. */
export class ArchiveCache {
  readonly #now: () => number;
  /** The one that was asked for last is the last. */
  readonly #calls = new Map<string, Remembered>();
  #size = 0;

  /** @param now monotonic, in ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns undefined where the events are not remembered. */
  get(callId: string): Promise<readonly string[]> | undefined {
    const known = this.#calls.get(callId);
    if (!known) return undefined;
    if (this.#now() >= known.until) {
      this.drop(callId);
      return undefined;
    }
    this.#calls.delete(callId);
    this.#calls.set(callId, known);
    return known.events;
  }

  /** Remembers what is being read; what could not be read is forgotten. */
  put(callId: string, events: Promise<readonly string[]>): void {
    this.drop(callId);
    const entry: Remembered = { events, until: this.#now() + REMEMBERED_MS, size: 0 };
    this.#calls.set(callId, entry);
    events.then(
      (bodies) => this.#measured(callId, entry, bodies),
      () => {
        if (this.#calls.get(callId) === entry) this.#calls.delete(callId);
      },
    );
  }

  drop(callId: string): void {
    this.#size -= this.#calls.get(callId)?.size ?? 0;
    this.#calls.delete(callId);
  }

  #measured(callId: string, entry: Remembered, bodies: readonly string[]): void {
    if (this.#calls.get(callId) !== entry) return;
    entry.size = bodies.reduce((sum, { length }) => sum + length, 0);
    this.#size += entry.size;
    for (const id of this.#calls.keys()) {
      if (this.#size <= MOST_CHARACTERS) return;
      this.drop(id);
    }
  }
}
