import type { Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { untilNextStep } from '@voice/shared/clock/in-step';
import { startThread } from '../threads/start-thread.js';
import type { DiskResult, DiskTask, FromDisk, ToDisk } from './messages.js';
import type { Disk } from './port.js';

/** How often the thread is asked, in ms: in step with the pacer's ticks, so that the process wakes once for both. */
const STEP_MS = 10;
const NO_BYTES = new Uint8Array(0);
/** A batch's memory at first, and the most that is kept to be filled again, in bytes: half a second of 300 recordings. */
const LEAST_MEMORY = 64 * 1024;
const MOST_KEPT = 4 * 1024 * 1024;

interface Asked {
  readonly task: DiskTask;
  /** What is to be written. */
  readonly bytes: Uint8Array;
  resolve(result: number): void;
  reject(error: Error): void;
}

/**
 * Has a thread of its own wait for the disk. What all calls write within a few milliseconds goes there as one message and
 * comes back as one: of Node's thread pool, each write alone would wake a thread, and that thread this one. What is asked
 * for in order is done in order. The thread starts with the first task and keeps nothing alive.
 */
export class DiskClient implements Disk {
  readonly #clock: Clock;
  readonly #startThread: () => Worker;
  #gathered: Asked[] = [];
  /** What the thread has, by batches. */
  readonly #sent: Asked[][] = [];
  #isDue = false;
  /** Memory of a batch that is done. */
  #spare: Uint8Array<ArrayBuffer> | undefined;
  #thread: Worker | undefined;

  constructor(
    clock: Clock = systemClock,
    start: () => Worker = () => startThread(import.meta.url, './disk-thread'),
  ) {
    this.#clock = clock;
    this.#startThread = start;
  }

  open(path: string, flags: 'w' | 'a'): Promise<number> {
    return this.#ask({ type: 'open', path, flags });
  }

  async write(file: number, bytes: Uint8Array, position: number | null): Promise<void> {
    await this.#ask({ type: 'write', file, length: bytes.length, position }, bytes);
  }

  async truncate(file: number, length: number): Promise<void> {
    await this.#ask({ type: 'truncate', file, length });
  }

  async close(file: number): Promise<void> {
    await this.#ask({ type: 'close', file });
  }

  async remove(path: string): Promise<void> {
    await this.#ask({ type: 'remove', path });
  }

  #ask(task: DiskTask, bytes: Uint8Array = NO_BYTES): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#gathered.push({ task, bytes, resolve, reject });
      if (this.#isDue) return;
      this.#isDue = true;
      this.#clock.schedule(untilNextStep(this.#clock.monotonic(), STEP_MS), () => this.#send());
    });
  }

  #send(): void {
    this.#isDue = false;
    const batch = this.#gathered;
    this.#gathered = [];
    this.#thread ??= this.#start();
    this.#thread.ref();
    this.#sent.push(batch);
    const bytes = this.#joined(batch);
    const message: ToDisk = { tasks: batch.map(({ task }) => task), bytes };
    this.#thread.postMessage(message, [bytes.buffer]);
  }

  #start(): Worker {
    const thread = this.#startThread();
    thread.on('message', ({ results, bytes }: FromDisk) => {
      if (bytes.length <= MOST_KEPT) this.#spare = bytes;
      this.#answered(results);
    });
    const lost = (reason: string) => {
      if (this.#thread !== thread) return;
      // The next task starts another.
      this.#thread = undefined;
      for (const { reject } of this.#sent.splice(0).flat()) reject(new Error(reason));
    };
    thread.on('error', (error) => lost(`The disk's thread stopped: ${error}`));
    thread.on('exit', () => lost("The disk's thread stopped"));
    return thread;
  }

  #answered(results: readonly DiskResult[]): void {
    const batch = this.#sent.shift() ?? [];
    // An idle thread does not keep the process running.
    if (this.#sent.length === 0) this.#thread?.unref();
    for (const [n, { resolve, reject }] of batch.entries()) {
      const result = results[n]!;
      if (typeof result === 'number') resolve(result);
      else reject(Object.assign(new Error(result.message), { code: result.code }));
    }
  }

  /** Copies what a batch writes into memory that goes to the thread and comes back. */
  #joined(batch: readonly Asked[]): Uint8Array<ArrayBuffer> {
    const length = batch.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const joint =
      this.#spare && this.#spare.length >= length
        ? this.#spare
        : new Uint8Array(Math.max(LEAST_MEMORY, length * 2));
    this.#spare = undefined;
    let at = 0;
    for (const { bytes } of batch) {
      joint.set(bytes, at);
      at += bytes.length;
    }
    return joint;
  }
}
