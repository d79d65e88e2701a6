import { type AudioFormat, bytesPerMs, frameBytes } from '@voice/shared/audio/format';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { ServiceError } from '@voice/shared/errors/service-error';
import { Pauses } from './pauses.js';
import { RawFile } from './raw-file.js';
import { RawBlock, rawHeader } from './raw-recording.js';

/**
 * Audio is on its way to the disk no later than this, in ms. That a frame of the agent was heard may be known half a
 * second later only (a mark that does not return): what was heard is on disk within a second all the same.
 */
const BLOCK_MS = 400;
/** Frames of both lanes in that time, and a half more for what comes in bursts. */
const BLOCK_FRAMES = 60;
/** Bytes in front of a frame on disk. */
const RECORD_HEADER_BYTES = 12;
/** Blocks that may wait for a slow disk: half a minute. */
const MAX_WAITING_BLOCKS = 75;
/** How often a pause notes how far the time has come, in ms. */
const TIME_NOTE_MS = 1000;
const NOTHING = new Uint8Array(0);

export interface RecorderOptions {
  /** Where the raw recording goes; the folder must exist. */
  readonly path: string;
  /** Of both lanes. */
  readonly format: AudioFormat;
  readonly clock: Clock;
  /** The recording can go no further (the disk is full): what there is stays. Called once; the call goes on. */
  readonly onStopped?: (error: ServiceError) => void;
}

/** What is on disk when a call is over. */
export interface RawRecording {
  readonly durationMs: number;
}

/**
 * Keeps one call's audio as it comes, caller and agent, in the line's own format: nothing is decoded, mixed or
 * encoded while the call lives. Positions are ms since the caller's media stream began; frames may come up to
 * a second late and in any order. What it wrote becomes an MP3 after the call (`encode-recording.ts`).
 */
export interface Recorder {
  /** @param frame copied @param timestampMs the carrier's position of the frame */
  caller(frame: Uint8Array, timestampMs: number): void;
  /** @param frame that was really heard, copied @param atMs when it was heard */
  agent(frame: Uint8Array, atMs: number): void;
  /** Records silence on both lanes from now on, until no reason is left. Time goes on. Idempotent. */
  pause(reason: string): void;
  resume(reason: string): void;
  readonly isPaused: boolean;
  /** Writes the rest. Rejects with `ServiceError` `recording_failed` when nothing could be written. */
  finish(): Promise<RawRecording>;
}

export function createRecorder(options: RecorderOptions): Recorder {
  return new RawRecorder(options);
}

class RawRecorder implements Recorder {
  readonly #options: RecorderOptions;
  readonly #bytesPerMs: number;
  readonly #file: RawFile;
  readonly #pauses = new Pauses();
  /** Blocks that were written and can be filled again. */
  readonly #free: RawBlock[] = [];
  #block: RawBlock | undefined;
  #timer: Timer | undefined;
  /** The end of the latest audio of either lane, ms. */
  #endMs = 0;
  #timeNotedMs = 0;
  #stopped: ServiceError | undefined;
  #finished: Promise<RawRecording> | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#bytesPerMs = bytesPerMs(options.format);
    this.#file = new RawFile({
      path: options.path,
      head: rawHeader(options.format),
      maxWaiting: MAX_WAITING_BLOCKS,
      onFailed: (error) => this.#stop(error),
    });
  }

  get isPaused(): boolean {
    return this.#pauses.isPaused;
  }

  caller(frame: Uint8Array, timestampMs: number): void {
    this.#take('caller', frame, timestampMs);
  }

  agent(frame: Uint8Array, atMs: number): void {
    this.#take('agent', frame, atMs);
  }

  pause(reason: string): void {
    this.#pauses.pause(reason, this.#endMs);
  }

  resume(reason: string): void {
    this.#pauses.resume(reason, this.#endMs);
  }

  finish(): Promise<RawRecording> {
    this.#finished ??= this.#finish();
    return this.#finished;
  }

  async #finish(): Promise<RawRecording> {
    // A call that ends in a pause has lasted until its end.
    this.#append('time', this.#endMs, NOTHING);
    this.#flush();
    await this.#file.close();
    if (!this.#file.isUsable) throw this.#stopped ?? recordingFailed('nothing was written');
    return { durationMs: this.#endMs };
  }

  #take(lane: 'caller' | 'agent', frame: Uint8Array, atMs: number): void {
    if (this.#finished || this.#stopped) return;
    const untilMs = atMs + frame.length / this.#bytesPerMs;
    if (untilMs > this.#endMs) this.#endMs = untilMs;
    if (this.#pauses.covers(atMs, untilMs)) {
      if (this.#endMs - this.#timeNotedMs >= TIME_NOTE_MS) this.#append('time', this.#endMs, NOTHING);
      return;
    }
    this.#append(lane, atMs, frame);
  }

  #append(lane: 'caller' | 'agent' | 'time', atMs: number, frame: Uint8Array): void {
    if (lane === 'time') this.#timeNotedMs = atMs;
    const block = this.#open();
    if (block.append(lane, atMs, frame)) return;
    this.#flush();
    // A frame that does not fit into an empty block is none.
    this.#open().append(lane, atMs, frame);
  }

  #open(): RawBlock {
    if (this.#block) return this.#block;
    const bytes = BLOCK_FRAMES * (frameBytes(this.#options.format) + RECORD_HEADER_BYTES);
    this.#block = this.#free.pop() ?? new RawBlock(bytes);
    this.#timer = this.#options.clock.schedule(BLOCK_MS, () => this.#flush());
    return this.#block;
  }

  #flush(): void {
    const block = this.#block;
    this.#timer?.cancel();
    this.#block = undefined;
    if (!block) return;
    this.#file.append(block.bytes, () => {
      block.clear();
      // Two take turns; what a slow disk made more is not kept.
      if (this.#free.length < 2) this.#free.push(block);
    });
  }

  #stop(error: Error): void {
    this.#stopped = recordingFailed(error.message);
    this.#timer?.cancel();
    this.#block = undefined;
    this.#options.onStopped?.(this.#stopped);
  }
}

function recordingFailed(cause: string): ServiceError {
  return new ServiceError({
    code: 'recording_failed',
    status: 500,
    message: `The recording could not be written: ${cause}`,
    cause,
  });
}
