import { type Pace, Pacer } from './pacer.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BATCH = 200;

/**
 * Commands that come while another is under way go out together as the next one: few commands under load,
 * and no delay without it. A batch that fails fails for all of it.
 */
export class Gathered<Item, Result> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #pacer: Pacer | undefined;
  #waiting: Waiting<Item, Result>[] = [];
  #running: Promise<void> | undefined;

  /**
   * `write` returns a result for each item, in their order. By default each batch goes out when the one before it has
   * come back.
   */
  constructor(write: (items: readonly Item[]) => Promise<readonly Result[]>, pace?: Pace) {
    this.#write = write;
    this.#pacer = pace && new Pacer(pace);
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits to be written and nothing is being written. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const pause = this.#pacer?.pauseBefore(performance.now()) ?? 0;
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      // What else this turn of the event loop brings comes along.
      else await new Promise((resolve) => setImmediate(resolve));
      const batch = this.#waiting.splice(0, MAX_BATCH);
      try {
        const results = await this.#write(batch.map(({ item }) => item));
        for (const [i, waiting] of batch.entries()) waiting.resolve(results[i]!);
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.#running = undefined;
  }
}
