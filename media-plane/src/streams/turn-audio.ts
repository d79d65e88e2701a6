import { type AudioFormat, bytesPerMs, silenceByte } from '@voice/shared/audio/format';

/** The first memory of a turn: four seconds, which most turns do not exceed. */
const INITIAL_MS = 4000;
/** A turn's memory that is longer than this is not kept for the next. */
const REUSED_MS = 16_000;
/** Frames up to this long, in bytes, are copied byte by byte. */
const COPIED_IN_A_LOOP = 160;

export interface TurnAudioOptions {
  /** Beyond this much audio, in ms, what `releasable` allows is forgotten. */
  readonly keepMs: number;
  readonly format: AudioFormat;
}

/**
 * Stores a turn's audio, addressed by position in bytes from the turn's beginning. It is kept after it was played, so
 * that a paused turn can go on from where it was heard.
 */
export class TurnAudio {
  #bytes: Uint8Array;
  /** Position of the first byte still kept. */
  #from = 0;
  #end = 0;
  readonly #keepBytes: number;
  readonly #reusedBytes: number;
  readonly #silence: number;

  constructor({ keepMs, format }: TurnAudioOptions) {
    this.#keepBytes = keepMs * bytesPerMs(format);
    this.#reusedBytes = REUSED_MS * bytesPerMs(format);
    this.#silence = silenceByte(format);
    this.#bytes = new Uint8Array(INITIAL_MS * bytesPerMs(format));
  }

  /** Returns position behind the last byte. */
  get end(): number {
    return this.#end;
  }

  /** Returns the earliest position that is still there. */
  get start(): number {
    return this.#from;
  }

  /** Returns whether its memory is worth keeping for another turn, by `clear`. */
  get isReusable(): boolean {
    return this.#bytes.length <= this.#reusedBytes;
  }

  /** Forgets all of it, for another turn. */
  clear(): void {
    this.#from = 0;
    this.#end = 0;
  }

  /** @param releasable audio before this position will not be asked for again, if memory is short */
  append(audio: Uint8Array, releasable: number): void {
    const kept = this.#end - this.#from;
    if (kept + audio.length > this.#bytes.length) this.#makeRoom(audio.length, releasable);
    this.#bytes.set(audio, this.#end - this.#from);
    this.#end += audio.length;
  }

  /** Copies audio from a position into the whole of `frame`, with silence for what lies behind the end. */
  read(position: number, frame: Uint8Array): void {
    const offset = position - this.#from;
    const available = Math.min(frame.length, this.#end - position);
    // A loop: at 160 bytes it is cheaper than a view and a copy.
    if (frame.length <= COPIED_IN_A_LOOP) {
      for (let i = 0; i < available; i++) frame[i] = this.#bytes[offset + i]!;
    } else if (available > 0) frame.set(this.#bytes.subarray(offset, offset + available));
    for (let i = Math.max(0, available); i < frame.length; i++) frame[i] = this.#silence;
  }

  #makeRoom(length: number, releasable: number): void {
    if (this.#end - this.#from + length > this.#keepBytes && releasable > this.#from) {
      this.#bytes.copyWithin(0, releasable - this.#from, this.#end - this.#from);
      this.#from = releasable;
    }
    const needed = this.#end - this.#from + length;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, Math.min(this.#bytes.length * 2, this.#keepBytes)));
      larger.set(this.#bytes.subarray(0, this.#end - this.#from));
      this.#bytes = larger;
    }
  }
}
