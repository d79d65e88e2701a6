import type { AudioFormat } from './format.js';
import { Resampler } from './resample.js';
import { decodeSamples, sampleBytes } from './samples.js';

export interface SampleReaderOptions {
  readonly format: AudioFormat;
  /** Hz of the samples that are wanted. */
  readonly sampleRate: number;
}

/** Reads one stream's bytes as 16-bit samples at a rate of one's choice. A sample may be cut between two pieces. */
export class SampleReader {
  readonly #format: AudioFormat;
  readonly #resampler: Resampler | undefined;
  #samples = new Int16Array(0);
  /** The first byte of a sample whose second has not come. */
  #half: number | undefined;

  constructor({ format, sampleRate }: SampleReaderOptions) {
    this.#format = format;
    if (sampleRate !== format.sampleRate) this.#resampler = new Resampler(format.sampleRate, sampleRate);
  }

  /** Reads the next samples; valid until the next call. */
  read(bytes: Uint8Array): Int16Array {
    const samples = this.#decode(this.#whole(bytes));
    return this.#resampler ? this.#resampler.process(samples) : samples;
  }

  /** Ends the stream: the samples that look-ahead still held back. Another stream may follow. */
  flush(): Int16Array {
    this.#half = undefined;
    return this.#resampler ? this.#resampler.flush() : new Int16Array(0);
  }

  #decode(bytes: Uint8Array): Int16Array {
    const { encoding } = this.#format;
    const count = bytes.length / sampleBytes(encoding);
    if (this.#samples.length < count) this.#samples = new Int16Array(count);
    return decodeSamples(encoding, bytes, this.#samples);
  }

  /** Joins the bytes with what was cut before them, and keeps what is cut behind them. */
  #whole(bytes: Uint8Array): Uint8Array {
    if (this.#format.encoding !== 'l16') return bytes;
    if (this.#half === undefined && bytes.length % 2 === 0) return bytes;
    const before = this.#half === undefined ? [] : [this.#half];
    const joined = Uint8Array.of(...before, ...bytes);
    const odd = joined.length % 2 === 1;
    this.#half = odd ? joined[joined.length - 1] : undefined;
    return odd ? joined.subarray(0, -1) : joined;
  }
}
