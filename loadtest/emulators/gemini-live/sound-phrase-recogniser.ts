import { L16_16K } from '@voice/shared/audio/format';
import { encodeSamples } from '@voice/shared/audio/samples';
import type { SoundOfPhrase } from '../recognition/phrase-track.js';
import { SoundRecogniser } from '../recognition/sound-recogniser.js';
import type { RecognisedMoment } from './phrase-recogniser.js';

/** Silence that ends an utterance for the recogniser: 700 ms at 16,000 Hz. */
const SILENCE = new Int16Array(700 * 16);

/** The recogniser for lossy lines: understands phrases in linear PCM at 16,000 Hz. */
export class SoundPhraseRecogniser {
  readonly #recogniser: SoundRecogniser;

  constructor(sounds: readonly SoundOfPhrase[]) {
    this.#recogniser = new SoundRecogniser(sounds, L16_16K);
  }

  *push(audio: Int16Array): Generator<RecognisedMoment> {
    for (const { atMs, silenceMs, words } of this.#recogniser.push(encodeSamples('l16', audio))) {
      yield { atMs, loud: silenceMs === 0, words: words.map(({ text }) => text) };
    }
  }

  /** Ends the stream: understands what is left of it, and starts anew. */
  end(): Generator<RecognisedMoment> {
    return this.push(SILENCE);
  }
}
