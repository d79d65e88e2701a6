import { type AudioFormat, bytesPerMs, frameBytes } from '@voice/shared/audio/format';

/**
 * Keeps the latest frames of a call's audio, bounded, with their position: what is fed again to a connection that
 * replaces a lost one. Slots are kept and reused, so a running call allocates nothing per frame.
 */
export class AudioRing {
  readonly #capacityMs: number;
  readonly #bytesPerMs: number;
  readonly #frameBytes: number;
  readonly #slots: Uint8Array[] = [];
  #frames: { bytes: Uint8Array; length: number }[] = [];
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
    const bytes = this.#slot(frame.length);
    bytes.set(frame);
    this.#frames.push({ bytes, length: frame.length });
    this.#endMs += frame.length / this.#bytesPerMs;
    while (this.#endMs - this.#startMs > this.#capacityMs) {
      this.droppedMs += this.#frames[0]!.length / this.#bytesPerMs;
      this.#dropOldest();
    }
  }

  /** Forgets frames that lie wholly before the position. */
  trim(beforeMs: number): void {
    while (
      this.#frames.length > 0 &&
      this.#startMs + this.#frames[0]!.length / this.#bytesPerMs <= beforeMs
    ) {
      this.#dropOldest();
    }
  }

  /** Returns what is kept, oldest first; the bytes are valid until the next `push`. */
  *frames(): Generator<Uint8Array> {
    for (const { bytes, length } of this.#frames) yield bytes.subarray(0, length);
  }

  clear(): void {
    this.#frames = [];
    this.#slots.length = 0;
    this.#startMs = this.#endMs;
  }

  #dropOldest(): void {
    const oldest = this.#frames.shift()!;
    this.#startMs += oldest.length / this.#bytesPerMs;
    this.#slots.push(oldest.bytes);
  }

  #slot(length: number): Uint8Array {
    const slot = this.#slots.pop();
    if (slot && slot.length >= length) return slot;
    return new Uint8Array(Math.max(length, this.#frameBytes));
  }
}
