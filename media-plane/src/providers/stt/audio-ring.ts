import { type AudioFormat, bytesPerMs, frameBytes } from '@voice/shared/audio/format';

/** Frames that a new ring has slots for: a recogniser settles what it heard within about a second. */
const FIRST_SLOTS = 64;

/**
 * Keeps the latest frames of a call's audio, bounded, with their position: what is fed again to a connection that
 * replaces a lost one. Frames lie in slots of one array, which are reused in turn: a running call allocates nothing per
 * frame, and a frame touches little memory besides its own.
 */
export class AudioRing {
  readonly #capacityMs: number;
  readonly #bytesPerMs: number;
  /** Of a frame as it usually comes. */
  #slotBytes: number;
  #bytes = new Uint8Array(0);
  /** Bytes of the frame in each slot. */
  #lengths = new Uint32Array(0);
  #first = 0;
  #count = 0;
  #startMs = 0;
  #endMs = 0;
  /** ms of audio that fell out of the ring before anyone was done with it. */
  droppedMs = 0;

  constructor(capacityMs: number, format: AudioFormat) {
    this.#capacityMs = capacityMs;
    this.#bytesPerMs = bytesPerMs(format);
    this.#slotBytes = frameBytes(format);
  }

  /** Returns position of the oldest audio still here, in ms since the first frame of all. */
  get startMs(): number {
    return this.#startMs;
  }

  /** Returns position after the newest audio: all that was ever written. */
  get endMs(): number {
    return this.#endMs;
  }

  /** Copies a frame. */
  push(frame: Uint8Array): void {
    const slots = this.#lengths.length;
    if (this.#count === slots) this.#rebuild(slots + Math.max(FIRST_SLOTS, slots), this.#slotBytes);
    if (frame.length > this.#slotBytes) this.#rebuild(this.#lengths.length, frame.length);
    const at = this.#place(this.#count);
    this.#bytes.set(frame, at * this.#slotBytes);
    this.#lengths[at] = frame.length;
    this.#count++;
    this.#endMs += frame.length / this.#bytesPerMs;
    while (this.#endMs - this.#startMs > this.#capacityMs) {
      this.droppedMs += this.#oldestMs;
      this.#dropOldest();
    }
  }

  /** Forgets frames that lie wholly before the position. */
  trim(beforeMs: number): void {
    while (this.#count > 0 && this.#startMs + this.#oldestMs <= beforeMs) this.#dropOldest();
  }

  /** Returns what is kept, oldest first; the bytes are valid until the next `push`. */
  *frames(): Generator<Uint8Array> {
    for (let n = 0; n < this.#count; n++) {
      yield this.#frame(n);
    }
  }

  clear(): void {
    this.#bytes = new Uint8Array(0);
    this.#lengths = new Uint32Array(0);
    this.#first = 0;
    this.#count = 0;
    this.#startMs = this.#endMs;
  }

  get #oldestMs(): number {
    return this.#lengths[this.#first]! / this.#bytesPerMs;
  }

  /** Returns the slot of the n-th frame. */
  #place(n: number): number {
    return (this.#first + n) % this.#lengths.length;
  }

  #frame(n: number): Uint8Array {
    const at = this.#place(n);
    const from = at * this.#slotBytes;
    return this.#bytes.subarray(from, from + this.#lengths[at]!);
  }

  #dropOldest(): void {
    this.#startMs += this.#oldestMs;
    this.#first = this.#place(1);
    this.#count--;
  }

  /** Makes other slots, with the frames that are kept. */
  #rebuild(slots: number, slotBytes: number): void {
    const bytes = new Uint8Array(slots * slotBytes);
    const lengths = new Uint32Array(slots);
    for (let n = 0; n < this.#count; n++) {
      const frame = this.#frame(n);
      bytes.set(frame, n * slotBytes);
      lengths[n] = frame.length;
    }
    this.#bytes = bytes;
    this.#lengths = lengths;
    this.#slotBytes = slotBytes;
    this.#first = 0;
  }
}
