import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Disk } from '../disk/port.js';

/** After a write has failed, the next one is tried no earlier than this, in ms. */
const RETRY_MS = 1000;

export interface RawFileOptions {
  readonly path: string;
  readonly head: Uint8Array;
  /** Blocks that may wait. */
  readonly maxWaiting: number;
  readonly clock: Clock;
  readonly disk: Disk;
  /** Whether a write that failed is worth another try. */
  readonly hasRoom: () => boolean;
  /** A write has failed. What waits is tried again; called once until then. */
  readonly onFailed: (error: Error) => void;
  /** Everything that waited is written. */
  readonly onRecovered: () => void;
}

interface Waiting {
  readonly bytes: Uint8Array;
  /** The block is not needed any more. */
  readonly done: (written: boolean) => void;
}

/**
 * Appends to a file in order, in the background. Blocks that wait for a slow or a full disk are bounded. A block whose
 * write has failed is written again whole, at the same place, so the file is good up to its last block.
 */
export class RawFile {
  readonly #options: RawFileOptions;
  readonly #queue: Waiting[];
  #file: number | undefined;
  #working: Promise<void> | undefined;
  #retry: Timer | undefined;
  /** Bytes of whole blocks. */
  #written = 0;
  #isFailing = false;
  #isClosed = false;

  /** Creates the file, or empties it. */
  constructor(options: RawFileOptions) {
    this.#options = options;
    this.#queue = [{ bytes: options.head, done: () => {} }];
    this.#work();
  }

  /** Returns whether anything came to the disk. */
  get isUsable(): boolean {
    return this.#written > 0;
  }

  /** Returns whether nothing waits to be written. */
  get isDrained(): boolean {
    return this.#queue.length === 0;
  }

  /** Appends a block, which belongs to the file until `done` is called; false when too many wait and it is not taken. */
  append(bytes: Uint8Array, done: (written: boolean) => void): boolean {
    if (this.#queue.length >= this.#options.maxWaiting) return false;
    this.#queue.push({ bytes, done });
    this.#work();
    return true;
  }

  /** Waits for what was appended; what cannot be written now is tried once more. Never rejects. */
  async settle(): Promise<void> {
    this.#cancelRetry();
    await this.#working;
    this.#cancelRetry();
    this.#work();
    await this.#working;
  }

  /** Settles and closes the file; what could not be written is given up. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settle();
    for (const { done } of this.#queue.splice(0)) done(false);
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await this.#options.disk.close(file).catch(() => {});
  }

  #work(): void {
    if (this.#working || this.#retry) return;
    if (this.#queue.length > 0) this.#working = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    try {
      for (let next = this.#queue[0]; next; next = this.#queue[0]) {
        await this.#write(next.bytes);
        this.#queue.shift();
        next.done(true);
      }
    } catch (error) {
      this.#failed(error instanceof Error ? error : new Error(String(error)));
      return;
    } finally {
      this.#working = undefined;
    }
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#options.onRecovered();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { disk, path } = this.#options;
    this.#file ??= await disk.open(path, 'w');
    await disk.write(this.#file, bytes, this.#written);
    this.#written += bytes.length;
  }

  #failed(error: Error): void {
    this.#retryLater();
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#options.onFailed(error);
  }

  #cancelRetry(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#retry = this.#options.clock.schedule(RETRY_MS, () => {
      this.#retry = undefined;
      if (this.#options.hasRoom()) this.#work();
      else this.#retryLater();
    });
  }
}
