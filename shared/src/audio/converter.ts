import { type AudioFormat, isSameFormat } from './format.js';
import { SampleReader } from './sample-reader.js';
import { encodeSamples } from './samples.js';

export interface AudioConverterOptions {
  readonly from: AudioFormat;
  readonly to: AudioFormat;
}

const NOTHING = new Uint8Array(0);

/**
 * Converts one stream from a format to another, in pieces of any length; positions are kept to the sample.
 * Between equal formats it is free: the very same bytes come back.
 */
export class AudioConverter {
  readonly #to: AudioFormat;
  readonly #reader: SampleReader | undefined;

  constructor({ from, to }: AudioConverterOptions) {
    this.#to = to;
    if (!isSameFormat(from, to)) this.#reader = new SampleReader({ format: from, sampleRate: to.sampleRate });
  }

  /** Converts the next piece: the bytes themselves, or memory of its own. Rate conversion holds back a few ms. */
  convert(bytes: Uint8Array): Uint8Array {
    if (!this.#reader) return bytes;
    return encodeSamples(this.#to.encoding, this.#reader.read(bytes));
  }

  /** Ends the stream: what was held back. Another stream may follow. */
  flush(): Uint8Array {
    if (!this.#reader) return NOTHING;
    return encodeSamples(this.#to.encoding, this.#reader.flush());
  }
}

/** Converts a whole piece of audio at once. */
export function convertAudio(bytes: Uint8Array, { from, to }: AudioConverterOptions): Uint8Array {
  const converter = new AudioConverter({ from, to });
  const head = converter.convert(bytes);
  const tail = converter.flush();
  if (tail.length === 0) return head;
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}
