/** Sentences from the model to the voice: pushed by one, awaited by the other. */
export class SentenceChannel implements AsyncIterable<string> {
  readonly #queue: string[] = [];
  #closed = false;
  #wake: (() => void) | undefined;

  push(sentence: string): void {
    this.#queue.push(sentence);
    this.#wake?.();
  }

  /** No more will come. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<string> {
    for (;;) {
      const sentence = this.#queue.shift();
      if (sentence !== undefined) {
        yield sentence;
        continue;
      }
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
