import { closeSync, openSync, readSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

/** How the thread is started: the database, a descriptor of its file, and a counter of the requests that it has done. */
export interface CheckpointThreadData {
  readonly file: string;
  readonly descriptor: number;
  readonly signs: Int32Array;
}
export type CheckpointRequest = 'copy' | 'close';
export type CheckpointReport = 'copied' | 'failed';

/**
 * Pages of the write-ahead log after which they are copied into the database file: 32 MB. What is written again and
 * again, such as a live call, is copied once.
 */
const CHECKPOINT_PAGES = 8000;
/** Where the disk does not keep up, writers wait for it: 256 MB. */
const MOST_PAGES = 64_000;
const COMMITS_BETWEEN_LOOKS = 16;
/** In ms; a checkpoint takes a tenth of a second to one. */
const WAIT_FOR_DISK_MS = 5000;
/** Of the log's index (https://sqlite.org/walformat.html, "The WAL-Index File Format"): mxFrame, a 32-bit number in the machine's order. */
const MX_FRAME_OFFSET = 16;

/**
 * Copies what the write-ahead log holds into the database file, beside the commands: a thread with a connection of its
 * own copies and waits for the disk (60 to 200 ms for 32 MB; the larger the file, the longer), and what was
 * written meanwhile is copied here (4 ms). Every command would wait for it else.
 *
 * The files' descriptors are closed after the database: POSIX gives up all locks that a process has on a file when it
 * closes any descriptor of it (https://sqlite.org/howtocorrupt.html, §2.2).
 */
export class Checkpoints {
  readonly #file: string;
  readonly #db: DatabaseSync;
  readonly #copyRest: StatementSync;
  readonly #logIndex: number;
  readonly #frames = new Uint32Array(1);
  readonly #signs = new Int32Array(new SharedArrayBuffer(4));
  #descriptor: number | undefined;
  #thread: Worker | undefined;
  #asked = 0;
  #underWay = false;
  #commits = 0;
  #startAt = CHECKPOINT_PAGES;

  /** @param db the connection that writes, which has read or written before, so that the log's index is there */
  constructor(file: string, db: DatabaseSync) {
    this.#file = file;
    this.#db = db;
    this.#copyRest = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#logIndex = openSync(`${file}-shm`, 'r');
  }

  /**
   * Starts a checkpoint where the log has grown long enough, and waits for the disk where it is far behind. Never throws:
   * what was committed is committed, and the next checkpoint tries again.
   */
  afterCommit(): void {
    if (++this.#commits % COMMITS_BETWEEN_LOOKS !== 0) return;
    const pages = this.#pages();
    if (this.#underWay) {
      if (pages > MOST_PAGES) this.#waitForThread();
    } else if (pages > this.#startAt) {
      this.#startAt = pages + CHECKPOINT_PAGES;
      this.#underWay = this.#ask('copy');
    }
  }

  /** Closes the database; the last connection copies all of the log and removes it. */
  close(): void {
    if (this.#thread && this.#ask('close')) this.#waitForThread();
    this.#db.close();
    closeSync(this.#logIndex);
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  #pages(): number {
    readSync(this.#logIndex, this.#frames, 0, 4, MX_FRAME_OFFSET);
    return this.#frames[0]!;
  }

  /** Returns whether the thread will do it: no descriptor or no memory may be left for one. */
  #ask(request: CheckpointRequest): boolean {
    try {
      this.#thread ??= this.#startThread();
      this.#thread.postMessage(request);
      this.#asked++;
      return true;
    } catch {
      return false;
    }
  }

  /** Waits until all that was asked for is done, or has taken too long. */
  #waitForThread(): void {
    for (let done = Atomics.load(this.#signs, 0); done < this.#asked; done = Atomics.load(this.#signs, 0)) {
      if (Atomics.wait(this.#signs, 0, done, WAIT_FOR_DISK_MS) === 'timed-out') return;
    }
  }

  #startThread(): Worker {
    this.#descriptor ??= openSync(this.#file, 'r+');
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const workerData: CheckpointThreadData = {
      file: this.#file,
      descriptor: this.#descriptor,
      signs: this.#signs,
    };
    const thread = new Worker(new URL(`./checkpoint-thread.${extension}`, import.meta.url), {
      workerData,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    thread.on('message', (report: CheckpointReport) => this.#copied(report));
    // Such as one without memory: the next checkpoint tries again.
    thread.once('error', () => {
      this.#thread = undefined;
      this.#asked = Atomics.load(this.#signs, 0);
      this.#underWay = false;
    });
    thread.unref();
    return thread;
  }

  #copied(report: CheckpointReport): void {
    this.#underWay = false;
    if (report === 'failed' || !this.#db.isOpen) return;
    try {
      this.#copyRest.get();
      this.#startAt = CHECKPOINT_PAGES;
    } catch {
      // A full disk: what is in the log stays there.
    }
  }
}
