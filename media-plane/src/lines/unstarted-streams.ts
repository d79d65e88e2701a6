/** Connections of carriers that may be open without having said which call they are of. */
export const MOST_UNSTARTED = 1000;

/**
 * The carriers' connections that have not sent `start`: opening one takes no credential, so they are few. The
 * oldest goes for a new one: a carrier's says `start` as soon as it is open.
 */
export class UnstartedStreams {
  /** In the order in which they were opened. */
  readonly #waiting = new Set<() => void>();

  /** Adds a connection, which `giveUp` ends. Returns what takes it off again, once it has started or is closed. */
  add(giveUp: () => void): () => void {
    if (this.#waiting.size >= MOST_UNSTARTED) {
      const [oldest] = this.#waiting;
      if (oldest) {
        this.#waiting.delete(oldest);
        oldest();
      }
    }
    const waits = () => giveUp();
    this.#waiting.add(waits);
    return () => void this.#waiting.delete(waits);
  }
}
