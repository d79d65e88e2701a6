import { type AudioFormat, frameBytes, silenceByte } from '@voice/shared/audio/format';
import { decodeSamples, encodeSamples, sampleBytes } from '@voice/shared/audio/samples';

/** Lost frames over which the last sound fades to silence. */
const FADES_OVER = 3;

/**
 * Makes up frames that never came: the last one that did, fading to silence within 60 ms. It is not what was
 * said, but neither a click nor a hole that a listener, or a voice-activity detector, takes for an end.
 */
export class Concealment {
  readonly #format: AudioFormat;
  /** The last frame that came. */
  readonly #latest: Uint8Array;
  readonly #last: Int16Array;
  readonly #silence: Uint8Array;
  #length = 0;
  #lost = 0;

  constructor(format: AudioFormat) {
    this.#format = format;
    const bytes = frameBytes(format);
    this.#latest = new Uint8Array(bytes);
    this.#last = new Int16Array(bytes / sampleBytes(format.encoding));
    this.#silence = new Uint8Array(bytes).fill(silenceByte(format));
  }

  /** Takes a frame that came. */
  heard(frame: Uint8Array): void {
    this.#lost = 0;
    const extra = frame.length - this.#latest.length;
    this.#latest.set(extra > 0 ? frame.subarray(extra) : frame);
    this.#length = Math.min(frame.length, this.#latest.length);
  }

  /** Makes the frame in the place of one that did not come. */
  conceal(): Uint8Array {
    const from = 1 - this.#lost / FADES_OVER;
    this.#lost++;
    if (from <= 0 || this.#length === 0) return this.#silence;
    decodeSamples(this.#format.encoding, this.#latest.subarray(0, this.#length), this.#last);
    const fade = 1 / FADES_OVER / this.#last.length;
    const samples = this.#last.map((sample, n) => sample * (from - n * fade));
    return encodeSamples(this.#format.encoding, samples);
  }
}
