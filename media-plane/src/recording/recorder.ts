import { type AudioFormat, bytesPerMs, frameBytes } from '@voice/shared/audio/format';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { untilNextStep } from '@voice/shared/clock/in-step';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Disk } from '../disk/port.js';
import { Pauses } from './pauses.js';
import { RawFile } from './raw-file.js';
import { RawBlock, rawHeader } from './raw-recording.js';

/**
 * Audio is on its way to the disk no later than this, in ms. That a frame of the agent was heard may be known half a
 * second later only (a mark that does not return): what was heard is on disk within a second all the same. All calls'
 * blocks are written at the same moment, which is one message to the disk's thread.
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
/** Between two notes over what was lost, in ms: further ahead than 10 minutes nothing is believed. */
const LOST_NOTE_MS = 300_000;
const NOTHING = new Uint8Array(0);

export interface RecorderOptions {
  /** Where the raw recording goes; the folder must exist. */
  readonly path: string;
  /** Of both lanes. */
  readonly format: AudioFormat;
  readonly clock: Clock;
  readonly disk: Disk;
  /**
   * The recording cannot be written (the disk is full): what there is stays, and the last half minute waits in memory.
   * Called once an interruption; the call goes on.
   */
  readonly onStopped?: (error: ServiceError) => void;
  /** It is written again after that. `lost`: what is silence in it instead, ms; null where nothing was lost. */
  readonly onResumed?: (lost: Span | null) => void;
  /** Whether the disk takes more, as far as is known; asked after a write has failed. */
  readonly hasRoom?: () => boolean;
}

/** A piece of a call, in ms since its media stream began. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What is on disk when a call is over. */
interface RawRecording {
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
  /** @param atMs the call's time now: what was heard until then is dropped, however late it comes */
  resume(reason: string, atMs: number): void;
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
  /** The end of what is in a block, of what is on its way to the disk, and of what is there, ms. */
  #heldMs = 0;
  #takenMs = 0;
  #writtenMs = 0;
  /** Why it was interrupted last, until it goes on. */
  #stopped: ServiceError | undefined;
  #failure: ServiceError | undefined;
  /** What was not taken because too much waits, until something is taken again. */
  #lost: Span | undefined;
  /** The call is over: nothing is said of it any more. */
  #isOver = false;
  #finished: Promise<RawRecording> | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#bytesPerMs = bytesPerMs(options.format);
    this.#file = new RawFile({
      path: options.path,
      head: rawHeader(options.format),
      maxWaiting: MAX_WAITING_BLOCKS,
      clock: options.clock,
      disk: options.disk,
      hasRoom: options.hasRoom ?? (() => true),
      onFailed: (error) => this.#stop(error),
      // Where something was lost, it goes on with the next block.
      onRecovered: () => {
        if (!this.#lost) this.#resume(null);
      },
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

  resume(reason: string, atMs: number): void {
    this.#pauses.resume(reason, Math.max(this.#endMs, atMs));
  }

  finish(): Promise<RawRecording> {
    this.#finished ??= this.#finish();
    return this.#finished;
  }

  async #finish(): Promise<RawRecording> {
    this.#isOver = true;
    // What waits may have room by now, and then there is some for the rest.
    if (this.#lost) await this.#file.settle();
    // A call that ends in a pause has lasted until its end.
    this.#append('time', this.#endMs, NOTHING);
    this.#flush();
    await this.#file.close();
    if (!this.#file.isUsable) throw this.#failure ?? recordingFailed('nothing was written');
    return { durationMs: this.#writtenMs };
  }

  #take(lane: 'caller' | 'agent', frame: Uint8Array, atMs: number): void {
    if (this.#isOver) return;
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
    if (!this.#open().append(lane, atMs, frame)) {
      this.#flush();
      // A frame that does not fit into an empty block is none.
      this.#open().append(lane, atMs, frame);
    }
    this.#heldMs = this.#endMs;
  }

  #open(): RawBlock {
    if (this.#block) return this.#block;
    const bytes = BLOCK_FRAMES * (frameBytes(this.#options.format) + RECORD_HEADER_BYTES);
    this.#block = this.#free.pop() ?? new RawBlock(bytes);
    const { clock } = this.#options;
    this.#timer = clock.schedule(untilNextStep(clock.monotonic(), BLOCK_MS), () => this.#flush());
    return this.#block;
  }

  #flush(): void {
    const block = this.#block;
    this.#timer?.cancel();
    this.#block = undefined;
    if (!block) return;
    if (this.#lost && this.#file.isDrained) this.#goOn(this.#lost);
    if (!this.#lost && this.#write(block)) return;
    this.#lost = { fromMs: this.#takenMs, untilMs: this.#heldMs };
    this.#stop(new Error('The disk is too slow'));
    this.#recycle(block);
  }

  /** False when too much waits. */
  #write(block: RawBlock): boolean {
    const endMs = this.#heldMs;
    const taken = this.#file.append(block.bytes, (written) => {
      if (written) this.#writtenMs = endMs;
      this.#recycle(block);
    });
    if (taken) this.#takenMs = endMs;
    return taken;
  }

  /** Notes the time over what was lost, so that what comes next is believed however long that was. */
  #goOn(lost: Span): void {
    const { fromMs, untilMs } = lost;
    const notes = new RawBlock(RECORD_HEADER_BYTES * (Math.ceil((untilMs - fromMs) / LOST_NOTE_MS) + 1));
    for (let at = fromMs + LOST_NOTE_MS; at < untilMs; at += LOST_NOTE_MS) notes.append('time', at, NOTHING);
    notes.append('time', untilMs, NOTHING);
    this.#file.append(notes.bytes, () => {});
    this.#lost = undefined;
    this.#resume(lost);
  }

  #recycle(block: RawBlock): void {
    block.clear();
    // Two take turns; what a slow disk made more is not kept.
    if (this.#free.length < 2) this.#free.push(block);
  }

  #stop(error: Error): void {
    if (this.#stopped) return;
    this.#stopped = recordingFailed(error.message);
    this.#failure = this.#stopped;
    if (!this.#isOver) this.#options.onStopped?.(this.#stopped);
  }

  #resume(lost: Span | null): void {
    this.#stopped = undefined;
    if (!this.#isOver) this.#options.onResumed?.(lost);
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
