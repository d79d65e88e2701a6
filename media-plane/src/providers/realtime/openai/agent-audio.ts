import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import { Resampler } from '@voice/shared/audio/resample';

const MODEL_RATE = 24_000;

/** Converts one response's audio for the line: as it comes, or from the model's 24 kHz to the line's rate. */
export class AgentAudio {
  readonly #bytesPerMs: number;
  readonly #resampler: Resampler | undefined;

  constructor({ encoding, sampleRate }: AudioFormat) {
    const converts = encoding === 'l16' && sampleRate !== MODEL_RATE;
    this.#resampler = converts ? new Resampler(MODEL_RATE, sampleRate) : undefined;
    this.#bytesPerMs = bytesPerMs({ encoding, sampleRate: encoding === 'l16' ? MODEL_RATE : sampleRate });
  }

  /** Returns the length of base64 audio of the model, in ms, without decoding it. */
  durationMs(base64: string): number {
    const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
    return ((base64.length / 4) * 3 - padding) / this.#bytesPerMs;
  }

  /** Converts audio to the line's format; new memory. */
  convert(base64: string): Uint8Array {
    const bytes = Buffer.from(base64, 'base64');
    if (!this.#resampler) return bytes;
    // Small buffers share memory, where a 16-bit number may not begin at an odd place.
    const aligned = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes);
    const samples = new Int16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 1);
    return bytesOf(this.#resampler.process(samples));
  }

  /** Returns what the conversion still holds, at the end of the response. */
  rest(): Uint8Array {
    return this.#resampler ? bytesOf(this.#resampler.flush()) : new Uint8Array(0);
  }
}

function bytesOf(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}
