import type { Clock, Timer } from '@voice/shared/clock/clock';

/** Returns within how many ms the next output must come; null while none is expected. */
type ExpectedOutput = () => { readonly withinMs: number } | null;

export interface TimedStreamOptions<T> {
  readonly source: AsyncIterable<T>;
  readonly clock: Clock;
  readonly expected: ExpectedOutput;
  /** Stops the provider; what it returns is thrown to the reader. */
  readonly onTimeout: () => unknown;
}

/**
 * Passes a stream on and gives it up when an expected output does not come in time. Time counts only while the
 * reader waits: a slow reader never makes a provider late. `reconsider` must be called when what is
 * expected changes in the meantime.
 */
export class TimedStream<T> {
  readonly #options: TimedStreamOptions<T>;
  readonly #source: AsyncIterator<T>;
  #timer: Timer | undefined;
  #giveUp: ((error: unknown) => void) | undefined;

  constructor(options: TimedStreamOptions<T>) {
    this.#options = options;
    this.#source = options.source[Symbol.asyncIterator]();
  }

  /** Starts the wait anew when the reader waits and an output is expected that was not before. */
  reconsider(): void {
    if (this.#giveUp === undefined || this.#timer !== undefined) return;
    const { clock, expected, onTimeout } = this.#options;
    const next = expected();
    if (next === null) return;
    this.#timer = clock.schedule(next.withinMs, () => this.#giveUp?.(onTimeout()));
  }

  async *read(): AsyncGenerator<T> {
    let finished = false;
    try {
      for (;;) {
        const next = await this.#next();
        if (next.done) {
          finished = true;
          return;
        }
        yield next.value;
      }
    } catch (error) {
      finished = true;
      throw error;
    } finally {
      if (!finished) await this.#source.return?.();
    }
  }

  #next(): Promise<IteratorResult<T>> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#timer?.cancel();
        this.#timer = undefined;
        this.#giveUp = undefined;
      };
      this.#giveUp = (error) => {
        settle();
        reject(error);
      };
      this.#source.next().then(
        (result) => {
          settle();
          resolve(result);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
      this.reconsider();
    });
  }
}
