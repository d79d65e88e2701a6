import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import { decodeSamples, sampleBytes } from '@voice/shared/audio/samples';

export type Lane = 'caller' | 'agent';

/** How late a frame may come, behind the latest audio of the call, and still be recorded, in seconds. */
const LATE_SECONDS = 1;
/** Audio that can be held back: what may be late, and as much again, in seconds. */
const WINDOW_SECONDS = 3;
/** Samples of a block: seven whole MP3 frames, half a second at 8,000 Hz. */
export const BLOCK_SAMPLES = 7 * 576;
/**
 * A frame this close to the end of the one before it follows it without a seam (10 ms): positions jitter,
 * and a hole or an overlap of a few samples would click. It is also the error that this may add.
 */
const SEAM_SECONDS = 0.01;
/** A frame further ahead of everything known is a mistake of its sender: 10 min. */
const LONGEST_GAP_SECONDS = 600;

interface LaneState {
  readonly samples: Int16Array;
  /** Position behind the frame that was placed last. */
  end: number | undefined;
}

/** A piece of the recording; both channels have the same length, and belong to the receiver. */
export type BlockListener = (caller: Int16Array, agent: Int16Array) => void;

/**
 * Puts the frames of both lanes where they belong in time, and hands on what can no longer change, block by
 * block, as two channels of equal length. What was never sent is silence. Positions are samples since the
 * stream began.
 */
export class StereoTimeline {
  readonly #onBlock: BlockListener;
  readonly #format: AudioFormat;
  /** Samples of the ring that each lane is held back in. */
  readonly #window: number;
  readonly #lanes: Record<Lane, LaneState>;
  #decoded = new Int16Array(160);
  /** Position of the first sample that no block has had; it lies in the ring at this, modulo the window. */
  #base = 0;
  /** Position behind the latest sample of either lane. */
  #end = 0;
  #dropped = 0;

  /** @param format of the frames */
  constructor(onBlock: BlockListener, format: AudioFormat = PCMU_8K) {
    this.#onBlock = onBlock;
    this.#format = format;
    this.#window = WINDOW_SECONDS * format.sampleRate;
    this.#lanes = {
      caller: { samples: new Int16Array(this.#window), end: undefined },
      agent: { samples: new Int16Array(this.#window), end: undefined },
    };
  }

  /** Returns how many samples of each channel the blocks have had. */
  get handedOn(): number {
    return this.#base;
  }

  /** Returns how many frames came too late, or lay too far ahead. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @param frame in the timeline's format, copied @param atMs when it was heard, in ms since the stream began */
  place(lane: Lane, frame: Uint8Array, atMs: number): void {
    const { samples: ring, end: laneEnd } = this.#lanes[lane];
    const { encoding, sampleRate } = this.#format;
    const length = Math.floor(frame.length / sampleBytes(encoding));
    let position = Math.round((atMs * sampleRate) / 1000);
    const seam = SEAM_SECONDS * sampleRate;
    if (laneEnd !== undefined && Math.abs(position - laneEnd) <= seam) position = laneEnd;
    const end = position + length;
    if (end <= this.#base || end > this.#end + LONGEST_GAP_SECONDS * sampleRate) {
      this.#dropped++;
      return;
    }
    this.#lanes[lane].end = end;
    while (end > this.#base + this.#window) this.#handOn(BLOCK_SAMPLES);
    this.#end = Math.max(this.#end, end);
    if (this.#decoded.length < length) this.#decoded = new Int16Array(length);
    decodeSamples(encoding, frame.subarray(0, length * sampleBytes(encoding)), this.#decoded);
    for (let i = Math.max(0, this.#base - position); i < length; i++) {
      ring[(position + i) % this.#window] = this.#decoded[i]!;
    }
    this.#settle();
  }

  /** Advances the time, though nobody was heard. */
  advance(atMs: number): void {
    const { sampleRate } = this.#format;
    const end = Math.round((atMs * sampleRate) / 1000);
    if (end <= this.#end || end > this.#end + LONGEST_GAP_SECONDS * sampleRate) return;
    while (end > this.#base + this.#window) this.#handOn(BLOCK_SAMPLES);
    this.#end = Math.max(this.#end, end);
    this.#settle();
  }

  /** Hands on everything up to the latest sample. */
  finish(): void {
    while (this.#base < this.#end) this.#handOn(Math.min(BLOCK_SAMPLES, this.#end - this.#base));
  }

  /** Hands on what nothing can come late for any more. */
  #settle(): void {
    const late = LATE_SECONDS * this.#format.sampleRate;
    while (this.#end - this.#base >= late + BLOCK_SAMPLES) this.#handOn(BLOCK_SAMPLES);
  }

  #handOn(length: number): void {
    const caller = this.#cut(this.#lanes.caller.samples, length);
    const agent = this.#cut(this.#lanes.agent.samples, length);
    this.#base += length;
    this.#end = Math.max(this.#end, this.#base);
    this.#onBlock(caller, agent);
  }

  /** Takes samples out of the ring, and leaves silence there. */
  #cut(ring: Int16Array, length: number): Int16Array {
    const block = new Int16Array(length);
    const from = this.#base % this.#window;
    const first = Math.min(length, this.#window - from);
    block.set(ring.subarray(from, from + first));
    block.set(ring.subarray(0, length - first), first);
    ring.fill(0, from, from + first);
    ring.fill(0, 0, length - first);
    return block;
  }
}
