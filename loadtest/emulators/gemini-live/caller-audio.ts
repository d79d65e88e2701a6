import { Resampler } from '@voice/shared/audio/resample';
import { pcmRate } from './client-message.js';

/** Decodes the caller's audio, 16-bit PCM at the rate that its MIME type names, to one rate. */
export class CallerAudio {
  #resampler: Resampler;

  /** @param rate of the decoded samples, in Hz */
  constructor(private readonly rate: number) {
    this.#resampler = new Resampler(rate, rate);
  }

  /** Decodes one message; undefined where its format is not supported. `ms` is its duration. */
  decode({
    data,
    mimeType,
  }: {
    readonly data: string;
    readonly mimeType: string;
  }): { readonly samples: Int16Array; readonly ms: number } | undefined {
    const rate = pcmRate(mimeType);
    const bytes = Buffer.from(data, 'base64');
    if (rate === undefined || bytes.length % 2 !== 0) return undefined;
    if (rate !== this.#resampler.fromHz) this.#resampler = new Resampler(rate, this.rate);
    const samples = new Int16Array(bytes.length / 2);
    for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(i * 2);
    return { samples: this.#resampler.process(samples), ms: (samples.length / rate) * 1000 };
  }
}
