import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import { toSamples } from './audio.js';

/** Windows in which loudness is compared, in ms. */
const WINDOW_MS = 40;

/** Keeps the latest audio of a call in the line's own format, by position; writing copies and allocates nothing. */
export class UtteranceAudio {
  readonly #format: AudioFormat;
  readonly #bytesPerMs: number;
  readonly #ring: Uint8Array;
  #written = 0;

  /** @param capacityMs how much is kept */
  constructor(format: AudioFormat, capacityMs: number) {
    this.#format = format;
    this.#bytesPerMs = bytesPerMs(format);
    this.#ring = new Uint8Array(capacityMs * this.#bytesPerMs);
  }

  /** Returns how much was written so far, in ms. */
  get endMs(): number {
    return this.#written / this.#bytesPerMs;
  }

  /** Returns position of the oldest audio still here. */
  get startMs(): number {
    return Math.max(0, this.#written - this.#ring.length) / this.#bytesPerMs;
  }

  write(bytes: Uint8Array): void {
    const at = this.#written % this.#ring.length;
    const head = Math.min(bytes.length, this.#ring.length - at);
    this.#ring.set(bytes.subarray(0, head), at);
    this.#ring.set(bytes.subarray(head), 0);
    this.#written += bytes.length;
  }

  /** Copies what lies between two positions, as far as it is here. */
  slice(fromMs: number, toMs: number): Uint8Array {
    const from = this.#offset(Math.max(fromMs, this.startMs));
    const to = Math.max(from, this.#offset(Math.min(toMs, this.endMs)));
    const bytes = new Uint8Array(to - from);
    const at = from % this.#ring.length;
    const head = Math.min(bytes.length, this.#ring.length - at);
    bytes.set(this.#ring.subarray(at, at + head));
    bytes.set(this.#ring.subarray(0, bytes.length - head), head);
    return bytes;
  }

  /**
   * Returns the middle of the quietest moment between two positions, and how loud it is beside the whole (0..1): where
   * to cut speech that does not pause.
   */
  quietest(fromMs: number, toMs: number): { readonly atMs: number; readonly relative: number } {
    const samples = toSamples(this.slice(fromMs, toMs), this.#format);
    const size = (WINDOW_MS * this.#format.sampleRate) / 1000;
    let quietest = Number.POSITIVE_INFINITY;
    let at = 0;
    let total = 0;
    let windows = 0;
    for (let from = 0; from + size <= samples.length; from += size) {
      let level = 0;
      for (let i = from; i < from + size; i++) level += Math.abs(samples[i]!);
      total += level;
      windows++;
      if (level >= quietest) continue;
      quietest = level;
      at = from;
    }
    const start = Math.max(fromMs, this.startMs);
    if (windows === 0) return { atMs: toMs, relative: 1 };
    const atMs = start + ((at + size / 2) * 1000) / this.#format.sampleRate;
    return { atMs, relative: total === 0 ? 0 : (quietest * windows) / total };
  }

  /** Returns the byte position of a time, at a whole sample. */
  #offset(ms: number): number {
    const sample = Math.round((ms * this.#format.sampleRate) / 1000);
    return sample * (this.#format.encoding === 'l16' ? 2 : 1);
  }
}
