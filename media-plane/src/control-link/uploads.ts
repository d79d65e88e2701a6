import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { RECORDING_DURATION_HEADER } from '@voice/shared/contracts/call-events';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Log } from '@voice/shared/log/log';
import { mp3DurationMs } from '../audio/mp3-format.js';
import { waveformPath } from '../recording/encode-recording.js';
import { FinishedRecordings, type FinishedRecordingsOptions } from '../recording/finished-recordings.js';
import { isMissing } from '../recording/is-missing.js';
import { RetryTimes } from '../recording/retry-times.js';
import type { ControlPlaneClient } from './control-plane-client.js';
import { ControlPlaneRefusal } from './control-plane-refusal.js';

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 15_000;
const UPLOAD_TIMEOUT_MS = 60_000;
/** 1 Mbit/s: over a slower link a worker's recordings come sooner than they leave. */
const SLOWEST_LINK_BYTES_PER_MS = 125;
const IN_PROGRESS = 'in-progress';
const READY = 'ready';
const RECORDINGS = 'recordings';

/**
 * `<call id>.<duration ms>.mp3`, `<call id>.waveform.json` or `<call id>.decisions.ndjson`: all that an upload needs is
 * in its name.
 */
const RECORDING = /^([0-9a-f-]{36})\.(\d+)\.mp3$/;
const DECISIONS = /^([0-9a-f-]{36})\.decisions\.ndjson$/;
const WAVEFORM = /^([0-9a-f-]{36})\.waveform\.json$/;
const UNFINISHED = /^([0-9a-f-]{36})\.(mp3|decisions\.ndjson)$/;

export interface UploadsOptions {
  readonly dir: string;
  readonly client: ControlPlaneClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes the MP3 of a raw recording; rejects when that has to be tried again. */
  readonly encodeRecording: FinishedRecordingsOptions['encode'];
}

/**
 * Uploads recordings and decision logs to the control plane. A file is written under `in-progress`
 * (a recording under `recordings`, until it is an MP3), moved to `ready` when its call is over, and removed when
 * the control plane has it.
 */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #recordings: FinishedRecordings;
  /** Names of the files in `ready`: the folder is read once. */
  readonly #files: Set<string>;
  #working: Promise<void> | undefined;
  #timer: Timer | undefined;
  /** When the timer is due; monotonic. */
  #dueAt = 0;
  /** Decision logs of calls that are over, whose last line is being written. */
  readonly #closing = new Set<Promise<void>>();
  readonly #retries: RetryTimes;
  /** How long a control plane that is away is waited for next, in ms; undefined while it is not. */
  #awayMs: number | undefined;
  #stopped = false;

  constructor(options: UploadsOptions) {
    this.#options = options;
    const { clock } = options;
    this.#retries = new RetryTimes({ clock, firstMs: RETRY_MIN_MS, maxMs: RETRY_MAX_MS });
    mkdirSync(join(this.#options.dir, IN_PROGRESS), { recursive: true });
    mkdirSync(join(this.#options.dir, READY), { recursive: true });
    this.#files = new Set(readdirSync(join(this.#options.dir, READY)).filter(isUpload));
    this.#recordings = new FinishedRecordings({
      dir: join(this.#options.dir, RECORDINGS),
      encode: options.encodeRecording,
      onEncoded: (callId, mp3Path, durationMs) => this.#recordingReady(callId, mp3Path, durationMs),
      onRemoved: () => this.#schedule(0),
      isEncoded: this.#haveMp3(),
      clock: options.clock,
      log: options.log,
    });
    this.#adoptUnfinished();
  }

  /** Returns where a live call's recorder writes. */
  recordingPath(callId: string): string {
    return this.#recordings.livePath(callId);
  }

  decisionLogPath(callId: string): string {
    return join(this.#options.dir, IN_PROGRESS, `${callId}.decisions.ndjson`);
  }

  /** Turns the recording of a call that is over into an MP3 and uploads it. `finished`: its last block is written. */
  recordingEnded(callId: string, finished: Promise<unknown>): void {
    this.#recordings.ended(callId, finished);
  }

  /** Uploads the decision log of a call that is over. `closed`: its last line is written. */
  decisionLogEnded(callId: string, closed: Promise<void>): void {
    const closing = closed.then(() => this.#decisionLogReady(callId));
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  async #decisionLogReady(callId: string): Promise<void> {
    const name = decisionLogName(callId);
    try {
      await rename(join(this.#options.dir, IN_PROGRESS, name), this.#readyPath(name));
      this.#ready(name);
    } catch (error) {
      // On a full disk it may never have been made; the call is not the worse for it.
      this.#options.log.warn({ call_id: callId, error: String(error) }, 'a decision log cannot be uploaded');
    }
  }

  /** Returns calls that are over and of which something is not uploaded yet. */
  pendingCalls(): string[] {
    return [...this.#recordings.pendingCalls(), ...[...this.#files].flatMap((name) => callOf(name) ?? [])];
  }

  /** Returns how many files are still to be made or uploaded. */
  get pendingCount(): number {
    return this.#recordings.pendingCount + this.#closing.size + this.#files.size;
  }

  /** Returns how much was encoded by now, in ms of recordings; it only rises. */
  get encodedMs(): number {
    return this.#recordings.encodedMs;
  }

  /** Uploads what waits, now and again until it is accepted. */
  start(): void {
    this.#recordings.start();
    this.#schedule(0);
  }

  /**
   * Waits until every call that is over has its MP3, or the signal aborts; for the end of the process. What is
   * not done by then is done by the next process with this folder.
   */
  encoded(signal: AbortSignal): Promise<void> {
    return this.#recordings.flush(signal);
  }

  /** Uploads until nothing waits or the signal aborts, MP3s that are still being made included. */
  async flush(signal: AbortSignal): Promise<void> {
    await Promise.all([this.encoded(signal), ...this.#closing]);
    while (!signal.aborted && this.#files.size > 0) {
      await this.#work();
      if (this.#files.size > 0) await this.#options.clock.sleep(RETRY_MIN_MS, signal).catch(() => {});
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#recordings.stop();
    this.#timer?.cancel();
  }

  async #recordingReady(callId: string, mp3Path: string, durationMs: number): Promise<void> {
    const [waveform, mp3] = [`${callId}.waveform.json`, mp3Name(callId, durationMs)];
    if (!(await isMissing(waveformPath(mp3Path)))) {
      await rename(waveformPath(mp3Path), this.#readyPath(waveform));
      this.#ready(waveform);
    }
    await rename(mp3Path, this.#readyPath(mp3));
    this.#ready(mp3);
  }

  #readyPath(name: string): string {
    return join(this.#options.dir, READY, name);
  }

  /** Uploads a file that is in `ready` now. */
  #ready(name: string): void {
    this.#files.add(name);
    this.#schedule(0);
  }

  #schedule(delayMs: number): void {
    const { clock } = this.#options;
    const dueAt = clock.monotonic() + delayMs;
    if (this.#stopped) return;
    // A new file does not wait for the next try of one that failed, but for a control plane that is away.
    if (this.#timer && (this.#awayMs !== undefined || this.#dueAt <= dueAt)) return;
    this.#timer?.cancel();
    this.#dueAt = dueAt;
    this.#timer = clock.schedule(delayMs, () => {
      this.#timer = undefined;
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#working ??= this.#uploadAll()
      .catch((error: unknown) => {
        // The folder cannot be changed; the calls that are live need not know.
        this.#options.log.error({ error: String(error) }, 'uploads cannot be looked for');
        this.#schedule(RETRY_MAX_MS);
      })
      .finally(() => {
        this.#working = undefined;
      });
    await this.#working;
  }

  async #uploadAll(): Promise<void> {
    while (!this.#stopped) {
      const name = this.#retries.first(this.#waiting());
      if (name === undefined) return;
      // A control plane that is away has had its own wait.
      if (this.#awayMs === undefined && !this.#retries.isDue(name)) {
        this.#schedule(this.#retries.untilDue([name]));
        return;
      }
      try {
        await this.#upload(name);
      } catch (error) {
        if (isAway(error)) {
          this.#waitForControlPlane(name, error);
          return;
        }
        this.#awayMs = undefined;
        if (!(await this.#isGone(name)) && !this.#isRefused(name, error)) continue;
      }
      this.#awayMs = undefined;
      this.#retries.done(name);
      // Beside the main thread, which has calls to serve.
      await rm(this.#readyPath(name), { force: true });
      this.#files.delete(name);
    }
  }

  *#waiting(): Iterable<string> {
    for (const file of this.#files) if (!this.#isHeld(file)) yield file;
  }

  /**
   * Returns whether the file is an MP3 whose raw recording is still there: once it was uploaded and removed, a
   * successor would make it anew from that.
   */
  #isHeld(name: string): boolean {
    const callId = RECORDING.exec(name)?.[1];
    return callId !== undefined && this.#recordings.isRemoving(callId);
  }

  /** Returns which calls have an MP3 now that is to be uploaded. */
  #haveMp3(): (callId: string) => boolean {
    const calls = new Set([...this.#files].map((name) => RECORDING.exec(name)?.[1]));
    return (callId) => calls.has(callId);
  }

  /** Returns whether somebody has removed the file: not while the folder itself is away. */
  async #isGone(name: string): Promise<boolean> {
    if (!(await isMissing(this.#readyPath(name))) || (await isMissing(this.#readyPath('.')))) return false;
    this.#options.log.warn({ file: name }, 'a file was removed before it was uploaded');
    return true;
  }

  /** The others would fare no better. But where it is this file that takes too long, they are next. */
  #waitForControlPlane(name: string, error: unknown): void {
    this.#options.log.warn({ file: name, error: String(error) }, 'uploads wait for the control plane');
    this.#retries.postponed(name);
    const waitMs = this.#awayMs ?? RETRY_MIN_MS;
    this.#schedule(waitMs);
    this.#awayMs = Math.min(waitMs * 2, RETRY_MAX_MS);
  }

  /** Returns whether the upload is refused for good; otherwise it is tried again later, after the others. */
  #isRefused(name: string, error: unknown): boolean {
    const { log } = this.#options;
    if (error instanceof ControlPlaneRefusal && isForGood(error)) {
      const { status, givenCode: reason } = error;
      log.error({ file: name, status, reason }, 'the control plane refuses an upload for good');
      return true;
    }
    log.warn({ file: name, error: String(error) }, 'an upload failed and is tried again');
    this.#retries.failed(name);
    return false;
  }

  async #upload(name: string): Promise<void> {
    const body = await readFile(this.#readyPath(name));
    const timeoutMs = UPLOAD_TIMEOUT_MS + body.length / SLOWEST_LINK_BYTES_PER_MS;
    const recording = RECORDING.exec(name);
    if (recording) {
      await this.#options.client.send({
        method: 'PUT',
        path: `/internal/calls/${recording[1]}/recording`,
        contentType: 'audio/mpeg',
        headers: { [RECORDING_DURATION_HEADER]: recording[2]! },
        body,
        timeoutMs,
      });
      return;
    }
    const waveform = WAVEFORM.exec(name);
    if (waveform) {
      await this.#options.client.send({
        method: 'PUT',
        path: `/internal/calls/${waveform[1]}/waveform`,
        contentType: 'application/json',
        body,
        timeoutMs,
      });
      return;
    }
    await this.#options.client.send({
      method: 'PUT',
      path: `/internal/calls/${DECISIONS.exec(name)![1]}/decision-log`,
      contentType: 'application/x-ndjson',
      body,
      timeoutMs,
    });
  }

  /**
   * Uploads a killed predecessor's files as they are: they are as good as they got. (MP3s: of a version that encoded
   * while the call was live.)
   */
  #adoptUnfinished(): void {
    const folder = join(this.#options.dir, IN_PROGRESS);
    for (const name of readdirSync(folder)) {
      const match = UNFINISHED.exec(name);
      if (!match) continue;
      const bytes = statSync(join(folder, name)).size;
      if (bytes === 0) {
        rmSync(join(folder, name));
        continue;
      }
      const isMp3 = match[2] === 'mp3';
      const to = isMp3 ? mp3Name(match[1]!, mp3DurationMs(bytes)) : decisionLogName(match[1]!);
      renameSync(join(folder, name), this.#readyPath(to));
      this.#files.add(to);
    }
  }
}

const decisionLogName = (callId: string) => `${callId}.decisions.ndjson`;
const mp3Name = (callId: string, durationMs: number) => `${callId}.${Math.round(durationMs)}.mp3`;

const isUpload = (name: string) => callOf(name) !== undefined;

/** Returns the call that a file in `ready` is of; undefined for what is no upload. */
function callOf(name: string): string | undefined {
  return (RECORDING.exec(name) ?? WAVEFORM.exec(name) ?? DECISIONS.exec(name))?.[1];
}

/** Returns whether the control plane itself will never take the upload; what a proxy refuses is kept. */
function isForGood(refusal: ControlPlaneRefusal): boolean {
  return refusal.isForGood || refusal.givenCode === 'call_not_found';
}

/** Returns whether it is the control plane, and not the file, that fails: away, starting, or without its store. */
function isAway(error: unknown): boolean {
  return error instanceof ServiceError && [502, 503, 504].includes(error.status);
}
