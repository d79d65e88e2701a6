import { type FileHandle, open } from 'node:fs/promises';

export interface RawFileOptions {
  readonly path: string;
  readonly head: Uint8Array;
  /** Blocks that may wait. */
  readonly maxWaiting: number;
  /** Called at most once. */
  readonly onFailed: (error: Error) => void;
}

/**
 * Appends to a file in order, in the background. Blocks that wait for a slow disk are bounded; a write that fails, or a
 * disk that is too slow, ends it, and what was written stays.
 */
export class RawFile {
  readonly #options: RawFileOptions;
  #work: Promise<void>;
  #file: FileHandle | undefined;
  #waiting = 0;
  #written = 0;
  #failed = false;

  /** Creates the file, or empties it. */
  constructor(options: RawFileOptions) {
    this.#options = options;
    this.#work = this.#guarded(async () => {
      this.#file = await open(options.path, 'w', 0o600);
      await this.#write(options.head);
    });
  }

  /** Returns whether anything but the failure came to the disk. */
  get isUsable(): boolean {
    return this.#written > 0;
  }

  /** Appends a block, which belongs to the file until `done` is called, at once when it is not taken. */
  append(block: Uint8Array, done: () => void): void {
    if (!this.#failed && this.#waiting >= this.#options.maxWaiting)
      this.#fail(new Error('The disk is too slow'));
    if (this.#failed) {
      done();
      return;
    }
    this.#waiting++;
    this.#work = this.#work
      .then(() => this.#guarded(() => this.#write(block)))
      .then(() => {
        this.#waiting--;
        done();
      });
  }

  /** Waits for what was appended, and closes the file. Never rejects. */
  async close(): Promise<void> {
    await this.#work;
    await this.#file?.close().catch(() => {});
    this.#file = undefined;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file!.write(bytes, at, bytes.length - at, this.#written);
      at += bytesWritten;
      this.#written += bytesWritten;
    }
  }

  async #guarded(step: () => Promise<void>): Promise<void> {
    if (this.#failed) return;
    try {
      await step();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#options.onFailed(error);
  }
}
