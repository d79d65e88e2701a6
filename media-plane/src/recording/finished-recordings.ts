import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Log } from '@voice/shared/log/log';
import type { EncodedRecording } from './encode-recording.js';
import { isMissing } from './is-missing.js';
import { RetryTimes } from './retry-times.js';

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 60_000;
const RAW = /^([0-9a-f-]{36})\.recording$/;

export interface FinishedRecordingsOptions {
  /** Holds raw recordings of live calls under `live`, and of calls that are over under `waiting`. */
  readonly dir: string;
  readonly encode: (
    rawPath: string,
    mp3Path: string,
    onProgress: (encodedMs: number) => void,
  ) => Promise<EncodedRecording>;
  /** Takes the MP3's file, which is complete; resolves when it is taken. */
  readonly onEncoded: (callId: string, mp3Path: string, durationMs: number) => Promise<void>;
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
  /** Calls whose raw recordings are in `waiting`, those that are being removed included: the folder is read once. */
  readonly #raw = new Set<string>();
  /** Recorders of calls that are over, whose last block is being written. */
  readonly #closing = new Set<Promise<void>>();
  /** Raw recordings whose MP3 was taken, by call; removed beside the main thread, which has calls to serve. */
  readonly #removing = new Map<string, Promise<void>>();
  /** How far the MP3s have come, in ms, by call, at their best try: to try again what fails is no progress. */
  readonly #reachedMs = new Map<string, number>();
  #encodedMs = 0;
  /** The call whose MP3 is being made, until it was taken. */
  #encoding: string | undefined;
  #working: Promise<void> | undefined;
  #timer: Timer | undefined;
  /** When the timer is due; monotonic. */
  #dueAt = 0;
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

  /** Returns whether the MP3 is taken and the raw recording is still there, and to be removed. */
  isRemoving(callId: string): boolean {
    return this.#encoding === callId || this.#removing.has(callId);
  }

  /** Returns calls that are over and whose MP3 is not made yet. */
  pendingCalls(): string[] {
    return this.#waiting();
  }

  /** Returns how many recordings of calls that are over have no MP3 yet. An MP3 and its upload are another step each. */
  get pendingCount(): number {
    return 2 * (this.#closing.size + this.#raw.size - this.#removing.size);
  }

  /** Returns how much was encoded by now, in ms of recordings; it only rises. */
  get encodedMs(): number {
    return this.#encodedMs;
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

  async #toWaiting(callId: string): Promise<void> {
    await rename(this.livePath(callId), join(this.#waitingDir(), `${callId}.recording`));
    this.#raw.add(callId);
    this.#schedule(0);
  }

  #schedule(delayMs: number): void {
    const { clock } = this.#options;
    const dueAt = clock.monotonic() + delayMs;
    if (this.#stopped || (this.#timer && this.#dueAt <= dueAt)) return;
    // A new recording does not wait for the next try of one that failed.
    this.#timer?.cancel();
    this.#dueAt = dueAt;
    this.#timer = clock.schedule(delayMs, () => {
      this.#timer = undefined;
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#working ??= this.#encodeAll()
      .catch((error: unknown) => {
        // The folder cannot be changed; the calls that are live need not know.
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
      const callId = this.#firstDue();
      if (callId) await this.#encode(callId);
      else {
        const waiting = this.#waiting();
        if (waiting.length > 0) this.#schedule(this.#retries.untilDue(waiting));
        return;
      }
    }
  }

  #firstDue(): string | undefined {
    for (const callId of this.#raw) {
      if (!this.#removing.has(callId) && this.#retries.isDue(callId)) return callId;
    }
    return undefined;
  }

  /** Encodes a recording, or notes when it is to be tried again. */
  async #encode(callId: string): Promise<void> {
    const { encode, onEncoded, log } = this.#options;
    const raw = join(this.#waitingDir(), `${callId}.recording`);
    const mp3 = join(this.#waitingDir(), `${callId}.mp3.part`);
    this.#encoding = callId;
    try {
      const { durationMs } = await encode(raw, mp3, (encodedMs) => this.#progressed(callId, encodedMs));
      await onEncoded(callId, mp3, durationMs);
      this.#encoding = undefined;
      this.#remove(callId, raw);
    } catch (error) {
      this.#encoding = undefined;
      await rm(mp3, { force: true });
      if (error instanceof ServiceError && error.code === 'recording_unreadable') {
        // Nothing can be made of it; it stays for somebody to look at.
        await rename(raw, `${raw}.unreadable`);
        this.#forget(callId);
        log.error({ call_id: callId, error: String(error) }, 'a raw recording cannot be read');
        return;
      }
      // By somebody's hand: not while the folder itself is away.
      if ((await isMissing(raw)) && !(await isMissing(this.#waitingDir()))) {
        log.error({ call_id: callId }, 'a raw recording was removed before it was encoded');
        this.#forget(callId);
        return;
      }
      log.error({ call_id: callId, error: String(error) }, 'a recording waits to be encoded again');
      this.#retries.failed(callId);
    }
  }

  #progressed(callId: string, encodedMs: number): void {
    const reachedMs = this.#reachedMs.get(callId) ?? 0;
    if (encodedMs <= reachedMs) return;
    this.#reachedMs.set(callId, encodedMs);
    this.#encodedMs += encodedMs - reachedMs;
  }

  #forget(callId: string): void {
    this.#raw.delete(callId);
    this.#retries.done(callId);
    this.#reachedMs.delete(callId);
  }

  #remove(callId: string, raw: string): void {
    const removing = rm(raw, { force: true }).then(
      () => this.#forget(callId),
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
    return [...this.#raw].filter((callId) => !this.#removing.has(callId));
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
      else if (callId !== undefined) this.#raw.add(callId);
    }
    for (const name of readdirSync(this.#live())) {
      const callId = RAW.exec(name)?.[1];
      if (callId === undefined) continue;
      renameSync(join(this.#live(), name), join(this.#waitingDir(), name));
      this.#raw.add(callId);
    }
  }

  #live(): string {
    return join(this.#options.dir, 'live');
  }

  #waitingDir(): string {
    return join(this.#options.dir, 'waiting');
  }
}
