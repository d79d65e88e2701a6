/** Gives a turn's sentences, read once from their source, to as many attempts as there are, each from the first. */
export class SentenceReplay {
  readonly #given: string[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void)[] = [];

  constructor(source: AsyncIterable<string>) {
    void this.#pump(source);
  }

  async *read(signal: AbortSignal): AsyncGenerator<string> {
    for (let next = 0; ; next++) {
      while (next >= this.#given.length) {
        if (this.#failure) throw this.#failure.error;
        if (this.#ended || signal.aborted) return;
        await this.#change(signal);
      }
      if (signal.aborted) return;
      yield this.#given[next]!;
    }
  }

  async #pump(source: AsyncIterable<string>): Promise<void> {
    try {
      for await (const sentence of source) {
        this.#given.push(sentence);
        this.#wakeAll();
      }
      this.#ended = true;
    } catch (error) {
      this.#failure = { error };
    }
    this.#wakeAll();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      this.#wake.push(wake);
    });
  }

  #wakeAll(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}
