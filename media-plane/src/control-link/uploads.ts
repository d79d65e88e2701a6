import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { RECORDING_DURATION_HEADER } from '@voice/shared/contracts/call-events';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Log } from '@voice/shared/log/log';
import { mp3DurationMs } from '../audio/mp3-format.js';
import { waveformPath } from '../recording/encode-recording.js';
import { FinishedRecordings, type FinishedRecordingsOptions } from '../recording/finished-recordings.js';
import { RetryTimes } from '../recording/retry-times.js';
import type { ControlPlaneClient } from './control-plane-client.js';

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 15_000;
const UPLOAD_TIMEOUT_MS = 60_000;
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
  #working: Promise<void> | undefined;
  #timer: Timer | undefined;
  /** Decision logs of calls that are over, whose last line is being written. */
  readonly #closing = new Set<Promise<void>>();
  readonly #retries: RetryTimes;
  #awayMs = RETRY_MIN_MS;
  #stopped = false;

  constructor(options: UploadsOptions) {
    this.#options = options;
    const { clock } = options;
    this.#retries = new RetryTimes({ clock, firstMs: RETRY_MIN_MS, maxMs: RETRY_MAX_MS });
    mkdirSync(join(this.#options.dir, IN_PROGRESS), { recursive: true });
    mkdirSync(join(this.#options.dir, READY), { recursive: true });
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

  #decisionLogReady(callId: string): void {
    const name = `${callId}.decisions.ndjson`;
    try {
      this.#ready(join(this.#options.dir, IN_PROGRESS, name), name);
    } catch (error) {
      // On a full disk it may never have been made; the call is not the worse for it.
      this.#options.log.warn({ call_id: callId, error: String(error) }, 'a decision log cannot be uploaded');
    }
  }

  /** Returns calls that are over and of which something is not uploaded yet. */
  pendingCalls(): string[] {
    const files = this.#waiting().flatMap(
      (name) => (RECORDING.exec(name) ?? WAVEFORM.exec(name) ?? DECISIONS.exec(name))?.[1] ?? [],
    );
    return [...this.#recordings.pendingCalls(), ...files];
  }

  /** Returns how many files are still to be made or uploaded. */
  get pendingCount(): number {
    return this.#recordings.pendingCount + this.#closing.size + this.#waiting().length;
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
    while (!signal.aborted && this.#waiting().length > 0) {
      await this.#work();
      if (this.#waiting().length > 0) await this.#options.clock.sleep(RETRY_MIN_MS, signal).catch(() => {});
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#recordings.stop();
    this.#timer?.cancel();
  }

  #recordingReady(callId: string, mp3Path: string, durationMs: number): void {
    const waveform = waveformPath(mp3Path);
    if (existsSync(waveform)) this.#ready(waveform, `${callId}.waveform.json`);
    this.#ready(mp3Path, `${callId}.${Math.round(durationMs)}.mp3`);
  }

  #waiting(): string[] {
    return readdirSync(join(this.#options.dir, READY)).filter(
      (name) => RECORDING.test(name) || WAVEFORM.test(name) || DECISIONS.test(name),
    );
  }

  #ready(fromPath: string, to: string): void {
    renameSync(fromPath, join(this.#options.dir, READY, to));
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
    this.#working ??= this.#uploadAll()
      .catch((error: unknown) => {
        // The folder cannot be read or changed; the calls that are live need not know.
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
      const waiting = this.#waiting().filter((file) => !this.#isHeld(file));
      const name = waiting.find((file) => this.#retries.isDue(file));
      if (name === undefined) {
        if (waiting.length > 0) this.#schedule(this.#retries.untilDue(waiting));
        return;
      }
      try {
        await this.#upload(name);
      } catch (error) {
        if (isAway(error)) {
          this.#waitForControlPlane(name, error);
          return;
        }
        if (!this.#isRefused(name, error)) continue;
      }
      this.#awayMs = RETRY_MIN_MS;
      this.#retries.done(name);
      // Beside the main thread, which has calls to serve.
      await rm(join(this.#options.dir, READY, name), { force: true });
    }
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
    const calls = new Set(this.#waiting().map((name) => RECORDING.exec(name)?.[1]));
    return (callId) => calls.has(callId);
  }

  /** The others would fare no better. */
  #waitForControlPlane(name: string, error: unknown): void {
    this.#options.log.warn({ file: name, error: String(error) }, 'uploads wait for the control plane');
    this.#schedule(this.#awayMs);
    this.#awayMs = Math.min(this.#awayMs * 2, RETRY_MAX_MS);
  }

  /** Returns whether the upload is refused for good; otherwise it is tried again later, after the others. */
  #isRefused(name: string, error: unknown): boolean {
    const { log } = this.#options;
    if (error instanceof ServiceError && !error.retryable) {
      log.error({ file: name, status: error.status }, 'the control plane refuses an upload for good');
      return true;
    }
    log.warn({ file: name, error: String(error) }, 'an upload failed and is tried again');
    this.#retries.failed(name);
    return false;
  }

  async #upload(name: string): Promise<void> {
    const body = await readFile(join(this.#options.dir, READY, name));
    const recording = RECORDING.exec(name);
    if (recording) {
      await this.#options.client.send({
        method: 'PUT',
        path: `/internal/calls/${recording[1]}/recording`,
        contentType: 'audio/mpeg',
        headers: { [RECORDING_DURATION_HEADER]: recording[2]! },
        body,
        timeoutMs: UPLOAD_TIMEOUT_MS,
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
        timeoutMs: UPLOAD_TIMEOUT_MS,
      });
      return;
    }
    await this.#options.client.send({
      method: 'PUT',
      path: `/internal/calls/${DECISIONS.exec(name)![1]}/decision-log`,
      contentType: 'application/x-ndjson',
      body,
      timeoutMs: UPLOAD_TIMEOUT_MS,
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
      if (bytes === 0) rmSync(join(folder, name));
      else if (match[2] === 'mp3') this.#recordingReady(match[1]!, join(folder, name), mp3DurationMs(bytes));
      else this.#decisionLogReady(match[1]!);
    }
  }
}

/** Returns whether it is the control plane, and not the file, that fails: away, starting, or without its store. */
function isAway(error: unknown): boolean {
  return error instanceof ServiceError && [502, 503, 504].includes(error.status);
}
