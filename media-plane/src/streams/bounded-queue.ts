/**
 * Queues between stages. Inbound audio must never wait, so it drops the oldest; outbound audio must never
 * be lost, so its writer waits. Nothing in the media plane queues without a bound.
 */

interface Waiter {
  wake(): void;
}

/** Stores items in a ring of a fixed capacity: what both kinds of queue are made of. */
class Ring<T> {
  readonly capacity: number;
  readonly #slots: (T | undefined)[];
  #first = 0;
  #size = 0;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) {
      throw new RangeError(`A queue holds a whole number of items, at least 1, not ${capacity}`);
    }
    this.capacity = capacity;
    this.#slots = new Array<T | undefined>(capacity).fill(undefined);
  }

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    this.#slots[(this.#first + this.#size) % this.capacity] = item;
    this.#size++;
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#first];
    this.#slots[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.capacity;
    this.#size--;
    return item;
  }

  clear(): void {
    while (this.#size > 0) this.shift();
  }
}

/** Drops the oldest item when it is full: never blocks its writer. */
export class DropOldestQueue<T extends NonNullable<unknown>> {
  readonly #ring: Ring<T>;
  readonly #onDrop: ((item: T) => void) | undefined;
  #dropped = 0;

  /** @param capacity items @param onDrop called with every item that was dropped */
  constructor(capacity: number, onDrop?: (item: T) => void) {
    this.#ring = new Ring(capacity);
    this.#onDrop = onDrop;
  }

  get size(): number {
    return this.#ring.size;
  }

  /** Returns how many items were dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  push(item: T): void {
    if (this.#ring.size === this.#ring.capacity) {
      const oldest = this.#ring.shift()!;
      this.#dropped++;
      this.#onDrop?.(oldest);
    }
    this.#ring.push(item);
  }

  shift(): T | undefined {
    return this.#ring.shift();
  }

  /** Empties the queue, oldest first. */
  *drain(): Generator<T, void, void> {
    for (let item = this.#ring.shift(); item !== undefined; item = this.#ring.shift()) yield item;
  }

  clear(): void {
    this.#ring.clear();
  }
}

/** Loses nothing: when it is full, its writer waits; when it is empty, its reader does. One reader. */
export class BlockingQueue<T extends NonNullable<unknown>> implements AsyncIterable<T> {
  readonly #ring: Ring<T>;
  readonly #writers = new Set<Waiter>();
  #reader: Waiter | undefined;
  #ended = false;

  /** @param capacity items */
  constructor(capacity: number) {
    this.#ring = new Ring(capacity);
  }

  get size(): number {
    return this.#ring.size;
  }

  /** Resolves when the item is in the queue. Rejects with the signal's reason, and after `end`. */
  async push(item: T, signal?: AbortSignal): Promise<void> {
    while (!this.#ended && this.#ring.size === this.#ring.capacity) {
      await wait(signal, (waiter) => {
        this.#writers.add(waiter);
        return () => this.#writers.delete(waiter);
      });
    }
    if (this.#ended) throw new Error('The queue has ended; it takes no more items');
    if (signal?.aborted) {
      // The place this writer was woken for goes to the next.
      first(this.#writers)?.wake();
      throw signal.reason;
    }
    this.#ring.push(item);
    this.#reader?.wake();
  }

  /** Takes the next item; undefined when the queue has ended and is empty. Rejects with the signal's reason. */
  async shift(signal?: AbortSignal): Promise<T | undefined> {
    signal?.throwIfAborted();
    while (this.#ring.size === 0 && !this.#ended) {
      await wait(signal, (waiter) => {
        if (this.#reader) throw new Error('A blocking queue has one reader');
        this.#reader = waiter;
        return () => {
          this.#reader = undefined;
        };
      });
    }
    const item = this.#ring.shift();
    first(this.#writers)?.wake();
    return item;
  }

  /** Ends the queue: what is in it can still be read. Writers that wait are refused. */
  end(): void {
    this.#ended = true;
    this.#reader?.wake();
    for (const writer of [...this.#writers]) writer.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (let item = await this.shift(); item !== undefined; item = await this.shift()) yield item;
  }
}

function first<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}

/** Waits until woken or aborted; `register` says how to be found, and returns how to be forgotten. */
function wait(signal: AbortSignal | undefined, register: (waiter: Waiter) => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const settle = () => {
      forget();
      signal?.removeEventListener('abort', onAbort);
    };
    const onAbort = () => {
      settle();
      reject(signal?.reason);
    };
    const forget = register({
      wake: () => {
        settle();
        resolve();
      },
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
