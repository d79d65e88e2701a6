/** Audio kept for a connection that is not there yet, in ms; older audio is dropped. */
const MAX_AUDIO_MS = 20_000;
/** Other messages kept for it; more than any call has. */
const MAX_MESSAGES = 2000;

interface Waiting {
  readonly text: string;
  /** Of audio its length, else 0. */
  readonly ms: number;
}

/** Queues what waits for the connection, in its order and bounded. */
export class Outbox {
  #waiting: Waiting[] = [];
  #audioMs = 0;

  /** @param ms length of the audio in the message; 0 for all else */
  add(text: string, ms: number): void {
    if (ms === 0 && this.#waiting.length >= MAX_MESSAGES) return;
    this.#waiting.push({ text, ms });
    this.#audioMs += ms;
    while (this.#audioMs > MAX_AUDIO_MS) {
      const oldest = this.#waiting.findIndex((message) => message.ms > 0);
      this.#audioMs -= this.#waiting[oldest]!.ms;
      this.#waiting.splice(oldest, 1);
    }
  }

  /** Takes everything, oldest first; the queue is empty afterwards. */
  take(): readonly Waiting[] {
    const all = this.#waiting;
    this.clear();
    return all;
  }

  clear(): void {
    this.#waiting = [];
    this.#audioMs = 0;
  }
}
