import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Log } from '@voice/shared/log/log';
import type { EncodedRecording } from './encode-recording.js';
import { RetryTimes } from './retry-times.js';

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 60_000;
const RAW = /^([0-9a-f-]{36})\.recording$/;

export interface FinishedRecordingsOptions {
  /** Holds raw recordings of live calls under `live`, and of calls that are over under `waiting`. */
  readonly dir: string;
  readonly encode: (rawPath: string, mp3Path: string) => Promise<EncodedRecording>;
  /** Takes the MP3's file, which is complete. */
  readonly onEncoded: (callId: string, mp3Path: string, durationMs: number) => void;
  /** Its raw recording is gone, or could not be removed: `isRemoving` holds no more. */
  readonly onRemoved: (callId: string) => void;
  /** Returns whether the MP3 was taken before this process started. */
  readonly isEncoded: (callId: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Encodes raw recordings to MP3, one at a time, after their calls. A raw recording is removed only when its MP3 is
 * complete and was taken, so whatever ends the process, its successor starts again with it. The MP3 is to stay until
 * the raw recording is gone: by it a successor sees that nothing is left to encode.
 */
export class FinishedRecordings {
  readonly #options: FinishedRecordingsOptions;
  /** Recorders of calls that are over, whose last block is being written. */
  readonly #closing = new Set<Promise<void>>();
  /** Raw recordings whose MP3 was taken, by call; removed beside the main thread, which has calls to serve. */
  readonly #removing = new Map<string, Promise<void>>();
  #working: Promise<void> | undefined;
  #timer: Timer | undefined;
  readonly #retries: RetryTimes;
  #stopped = false;

  constructor(options: FinishedRecordingsOptions) {
    this.#options = options;
    const { clock } = options;
    this.#retries = new RetryTimes({ clock, firstMs: RETRY_MIN_MS, maxMs: RETRY_MAX_MS });
    mkdirSync(this.#live(), { recursive: true });
    mkdirSync(this.#waitingDir(), { recursive: true });
    this.#adoptUnfinished();
  }

  /** Returns where a live call's recorder writes. */
  livePath(callId: string): string {
    return join(this.#live(), `${callId}.recording`);
  }

  /** Takes the recording of a call that is over; `finished` settles when its recorder has written the last of it. */
  ended(callId: string, finished: Promise<unknown>): void {
    const { log } = this.#options;
    const closing = finished
      .then(
        () => this.#toWaiting(callId),
        (error: unknown) => {
          log.error({ call_id: callId, error: String(error) }, 'a recording could not be finished');
          return rm(this.livePath(callId), { force: true });
        },
      )
      .catch((error: unknown) => {
        // As on a full disk: it stays where it is, for the next process with this folder.
        log.error({ call_id: callId, error: String(error) }, 'a recording waits for the next start');
      });
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  /** Returns whether the MP3 was taken and the raw recording is still being removed. */
  isRemoving(callId: string): boolean {
    return this.#removing.has(callId);
  }

  /** Returns calls that are over and whose MP3 is not made yet. */
  pendingCalls(): string[] {
    return this.#waiting();
  }

  /** Returns how many recordings of calls that are over have no MP3 yet. An MP3 and its upload are another step each. */
  get pendingCount(): number {
    return 2 * (this.#closing.size + this.#waiting().length);
  }

  /** Encodes what waits, now and again until it has worked. */
  start(): void {
    this.#schedule(0);
  }

  /** Resolves when every call that is over has its MP3 and no raw recording any more, or the signal aborts; for the end of the process. */
  async flush(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted && (this.#closing.size > 0 || this.#waiting().length > 0)) {
      await Promise.race([aborted, Promise.all(this.#closing).then(() => this.#work())]);
      if (this.#waiting().length > 0) {
        await this.#options.clock.sleep(RETRY_MIN_MS, signal).catch(() => {});
      }
    }
    await Promise.race([aborted, Promise.all(this.#removing.values())]);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #toWaiting(callId: string): void {
    renameSync(this.livePath(callId), join(this.#waitingDir(), `${callId}.recording`));
    this.#schedule(0);
  }

  #schedule(delayMs: number): void {
    if (this.#timer || this.#stopped) return;
    this.#timer = this.#options.clock.schedule(delayMs, () => {
      this.#timer = undefined;
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#working ??= this.#encodeAll()
      .catch((error: unknown) => {
        // The folder cannot be read or changed; the calls that are live need not know.
        this.#options.log.error({ error: String(error) }, 'recordings cannot be looked for');
        this.#schedule(RETRY_MAX_MS);
      })
      .finally(() => {
        this.#working = undefined;
      });
    await this.#working;
  }

  async #encodeAll(): Promise<void> {
    while (!this.#stopped) {
      const waiting = this.#waiting();
      const callId = waiting.find((id) => this.#retries.isDue(id));
      if (callId) await this.#encode(callId);
      else {
        if (waiting.length > 0) this.#schedule(this.#retries.untilDue(waiting));
        return;
      }
    }
  }

  /** Encodes a recording, or notes when it is to be tried again. */
  async #encode(callId: string): Promise<void> {
    const { encode, onEncoded, log } = this.#options;
    const raw = join(this.#waitingDir(), `${callId}.recording`);
    const mp3 = join(this.#waitingDir(), `${callId}.mp3.part`);
    try {
      const { durationMs } = await encode(raw, mp3);
      onEncoded(callId, mp3, durationMs);
      this.#remove(callId, raw);
    } catch (error) {
      rmSync(mp3, { force: true });
      if (error instanceof ServiceError && error.code === 'recording_unreadable') {
        // Nothing can be made of it; it stays for somebody to look at.
        renameSync(raw, `${raw}.unreadable`);
        log.error({ call_id: callId, error: String(error) }, 'a raw recording cannot be read');
        this.#retries.done(callId);
        return;
      }
      log.error({ call_id: callId, error: String(error) }, 'a recording waits to be encoded again');
      this.#retries.failed(callId);
    }
  }

  #remove(callId: string, raw: string): void {
    const removing = rm(raw, { force: true }).then(
      () => this.#retries.done(callId),
      (error: unknown) => {
        const { log } = this.#options;
        log.error({ call_id: callId, error: String(error) }, 'a raw recording cannot be removed');
        // As it was encoded, it is tried again.
        this.#retries.failed(callId);
        this.#schedule(RETRY_MAX_MS);
      },
    );
    this.#removing.set(callId, removing);
    void removing.then(() => {
      this.#removing.delete(callId);
      this.#options.onRemoved(callId);
    });
  }

  #waiting(): string[] {
    return readdirSync(this.#waitingDir())
      .flatMap((name) => RAW.exec(name)?.[1] ?? [])
      .filter((callId) => !this.#removing.has(callId));
  }

  /**
   * Adopts what a killed predecessor's live calls had recorded: it is as good as it got; half-made MP3s are made anew,
   * and raw recordings whose MP3 was taken are removed.
   */
  #adoptUnfinished(): void {
    for (const name of readdirSync(this.#waitingDir())) {
      const callId = RAW.exec(name)?.[1];
      const isDone = callId !== undefined && this.#options.isEncoded(callId);
      if (isDone || name.endsWith('.part')) rmSync(join(this.#waitingDir(), name), { force: true });
    }
    for (const name of readdirSync(this.#live())) {
      if (RAW.test(name)) renameSync(join(this.#live(), name), join(this.#waitingDir(), name));
    }
  }

  #live(): string {
    return join(this.#options.dir, 'live');
  }

  #waitingDir(): string {
    return join(this.#options.dir, 'waiting');
  }
}
