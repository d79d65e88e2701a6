import type { Clock, Timer } from '@voice/shared/clock/clock';

/** Says when a stream owes something; null while it owes nothing. */
export type Owed = () => { readonly withinMs: number } | null;

export interface TimedStreamOptions<T> {
  readonly source: AsyncIterable<T>;
  readonly clock: Clock;
  readonly owed: Owed;
  /** Stops the provider; what it returns is thrown to the reader. */
  readonly onTimeout: () => unknown;
}

/**
 * Passes a stream on and gives it up when what it owes does not come in time. Time counts only while the
 * reader waits: a slow reader never makes a provider late. `reconsider` must be called when what is
 * owed changes in the meantime.
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

  /** Starts the wait anew when the reader waits and something is owed that was not before. */
  reconsider(): void {
    if (this.#giveUp === undefined || this.#timer !== undefined) return;
    const { clock, owed, onTimeout } = this.#options;
    const next = owed();
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
