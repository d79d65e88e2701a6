import { type AudioFormat, bytesPerMs, frameBytes } from '@voice/shared/audio/format';

const NO_BYTES = new Uint8Array(0);
/** Frames that a new ring has slots for: a recogniser settles what it heard within about a second. */
const FIRST_SLOTS = 64;

/**
 * Keeps the latest frames of a call's audio, bounded, with their position: what is fed again to a connection that
 * replaces a lost one. Slots are kept and reused in turn, so a running call allocates nothing per frame.
 */
export class AudioRing {
  readonly #capacityMs: number;
  readonly #bytesPerMs: number;
  readonly #frameBytes: number;
  #slots: Uint8Array[] = [];
  /** Bytes of the frame in each slot. */
  #lengths: number[] = [];
  #first = 0;
  #count = 0;
  #startMs = 0;
  #endMs = 0;
  /** ms of audio that fell out of the ring before anyone was done with it. */
  droppedMs = 0;

  constructor(capacityMs: number, format: AudioFormat) {
    this.#capacityMs = capacityMs;
    this.#bytesPerMs = bytesPerMs(format);
    this.#frameBytes = frameBytes(format);
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
    if (this.#count === this.#slots.length) this.#grow();
    const at = this.#place(this.#count);
    let slot = this.#slots[at]!;
    if (slot.length < frame.length) {
      slot = new Uint8Array(Math.max(frame.length, this.#frameBytes));
      this.#slots[at] = slot;
    }
    slot.set(frame);
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
      const at = this.#place(n);
      yield this.#slots[at]!.subarray(0, this.#lengths[at]);
    }
  }

  clear(): void {
    this.#slots = [];
    this.#lengths = [];
    this.#first = 0;
    this.#count = 0;
    this.#startMs = this.#endMs;
  }

  get #oldestMs(): number {
    return this.#lengths[this.#first]! / this.#bytesPerMs;
  }

  /** Returns the slot of the n-th frame. */
  #place(n: number): number {
    return (this.#first + n) % this.#slots.length;
  }

  #dropOldest(): void {
    this.#startMs += this.#oldestMs;
    this.#first = this.#place(1);
    this.#count--;
  }

  /** Doubles the slots; an empty one gets its bytes with its first frame. */
  #grow(): void {
    const more = Math.max(FIRST_SLOTS, this.#slots.length);
    const rotate = <T>(values: readonly T[]) => [
      ...values.slice(this.#first),
      ...values.slice(0, this.#first),
    ];
    this.#slots = [...rotate(this.#slots), ...new Array<Uint8Array>(more).fill(NO_BYTES)];
    this.#lengths = [...rotate(this.#lengths), ...new Array<number>(more).fill(0)];
    this.#first = 0;
  }
}
