import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';

/** How often the disk is looked at, in ms. */
const LOOK_EVERY_MS = 1000;
/** With less than this free no calls are taken: a minute of one recorded call is 1 MB, and others write, too. */
const MIN_FREE_BYTES = 4 * 1024 * 1024;
/** What must be writable before calls are taken again. */
const PROBE_BYTES = 64 * 1024;

export interface SpoolStorageOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Writes what had to stay in memory; false when there is still no room. */
  readonly catchUp: () => Promise<boolean>;
  /** It has become full, or is no longer. */
  readonly onChange: () => void;
}

/**
 * Watches whether the worker's disk takes what its calls write. Full from the first write that fails, or shortly before
 * that, until what stayed in memory and a probe could be written.
 */
export class SpoolStorage {
  readonly #options: SpoolStorageOptions;
  #full = false;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: SpoolStorageOptions) {
    this.#options = options;
  }

  get full(): boolean {
    return this.#full;
  }

  start(): void {
    this.#timer = this.#options.clock.schedule(LOOK_EVERY_MS, () => void this.look());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** Notes a write that failed. */
  failed(error: unknown): void {
    if (this.#full) return;
    this.#full = true;
    this.#options.log.error(
      { dir: this.#options.dir, error: String(error) },
      'the disk takes no more: events stay in memory and no new calls are taken until there is room',
    );
    this.#options.onChange();
  }

  /** Looks whether there is room, now and every second. */
  async look(): Promise<void> {
    this.#timer?.cancel();
    const free = await this.#freeBytes();
    if (free !== undefined && free < MIN_FREE_BYTES) this.failed(`${free} bytes are free`);
    else if (this.#full && (await this.#options.catchUp()) && (await this.#probe())) {
      this.#full = false;
      this.#options.log.info({ dir: this.#options.dir }, 'the disk has room again: calls are taken');
      this.#options.onChange();
    }
    if (!this.#stopped) this.start();
  }

  async #freeBytes(): Promise<number | undefined> {
    try {
      const { bavail, bsize } = await statfs(this.#options.dir);
      return bavail * bsize;
    } catch {
      return undefined;
    }
  }

  async #probe(): Promise<boolean> {
    const path = join(this.#options.dir, '.room');
    try {
      await writeFile(path, Buffer.alloc(PROBE_BYTES), { mode: 0o600 });
      return true;
    } catch {
      return false;
    } finally {
      // On a disk that is sick this can fail as well, and nothing waits for it that could act on it.
      await rm(path, { force: true }).catch(() => {});
    }
  }
}
