import { decodeMulaw, PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';

export type Lane = 'caller' | 'agent';

/** How late a frame may come, behind the latest audio of the call, and still be recorded: 1 s. */
const LATE_SAMPLES = PHONE_SAMPLE_RATE;
/** Audio that can be held back: what may be late, and as much again. */
const WINDOW_SAMPLES = 3 * PHONE_SAMPLE_RATE;
/** Samples handed on at a time: about half a second, seven whole MP3 frames. */
export const BLOCK_SAMPLES = 7 * 576;
/**
 * A frame this close to the end of the one before it follows it without a seam (10 ms): positions jitter,
 * and a hole or an overlap of a few samples would click. It is also the error that this may add.
 */
const SEAM_SAMPLES = 80;
/** A frame further ahead of everything known is a mistake of its sender: 10 min. */
const LONGEST_GAP_SAMPLES = 600 * PHONE_SAMPLE_RATE;

interface LaneState {
  readonly samples: Int16Array;
  /** Position behind the frame that was placed last. */
  end: number | undefined;
}

/** A piece of the recording; both channels have the same length, and belong to the receiver. */
export type BlockListener = (caller: Int16Array, agent: Int16Array) => void;

/**
 * Puts the frames of both lanes where they belong in time, and hands on what can no longer change, block by
 * block, as two channels of equal length. What was never sent is silence. Positions are samples at 8,000 Hz
 * since the stream began.
 */
export class StereoTimeline {
  readonly #onBlock: BlockListener;
  readonly #lanes: Record<Lane, LaneState> = {
    caller: { samples: new Int16Array(WINDOW_SAMPLES), end: undefined },
    agent: { samples: new Int16Array(WINDOW_SAMPLES), end: undefined },
  };
  #decoded = new Int16Array(160);
  /** Position of the first sample that was not handed on; it lies in the ring at this, modulo the window. */
  #base = 0;
  /** Position behind the latest sample of either lane. */
  #end = 0;
  #dropped = 0;

  constructor(onBlock: BlockListener) {
    this.#onBlock = onBlock;
  }

  /** Samples of each channel that were handed on. */
  get handedOn(): number {
    return this.#base;
  }

  /** Frames that came too late, or lay too far ahead. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @param frame mu-law, copied @param atMs when it was heard, in ms since the stream began */
  place(lane: Lane, frame: Uint8Array, atMs: number): void {
    const { samples: ring, end: laneEnd } = this.#lanes[lane];
    let position = Math.round((atMs * PHONE_SAMPLE_RATE) / 1000);
    if (laneEnd !== undefined && Math.abs(position - laneEnd) <= SEAM_SAMPLES) position = laneEnd;
    const end = position + frame.length;
    if (end <= this.#base || end > this.#end + LONGEST_GAP_SAMPLES) {
      this.#dropped++;
      return;
    }
    this.#lanes[lane].end = end;
    while (end > this.#base + WINDOW_SAMPLES) this.#handOn(BLOCK_SAMPLES);
    this.#end = Math.max(this.#end, end);
    if (this.#decoded.length < frame.length) this.#decoded = new Int16Array(frame.length);
    decodeMulaw(frame, this.#decoded);
    for (let i = Math.max(0, this.#base - position); i < frame.length; i++) {
      ring[(position + i) % WINDOW_SAMPLES] = this.#decoded[i]!;
    }
    while (this.#end - this.#base >= LATE_SAMPLES + BLOCK_SAMPLES) this.#handOn(BLOCK_SAMPLES);
  }

  /** Hands on everything up to the latest sample. */
  finish(): void {
    while (this.#base < this.#end) this.#handOn(Math.min(BLOCK_SAMPLES, this.#end - this.#base));
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
    const from = this.#base % WINDOW_SAMPLES;
    const first = Math.min(length, WINDOW_SAMPLES - from);
    block.set(ring.subarray(from, from + first));
    block.set(ring.subarray(0, length - first), first);
    ring.fill(0, from, from + first);
    ring.fill(0, 0, length - first);
    return block;
  }
}
