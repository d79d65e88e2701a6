import { L16_8K } from '@voice/shared/audio/format';
import { encodeSamples } from '@voice/shared/audio/samples';
import { soundOf } from '../recognition/phrase-track.js';
import type { Phrase } from '../recognition/phrasebook.js';
import { SoundRecogniser } from '../recognition/sound-recogniser.js';

/** Silence that ends an utterance for the recogniser: 700 ms of L16 at 8,000 Hz. */
const SILENCE = new Uint8Array(700 * 16);

/** What a stretch of speech says, by the recogniser that lossy lines need. */
export class SoundMatcher {
  readonly #sounds: ReturnType<typeof soundOf>[];

  constructor(phrasebook: readonly Phrase[]) {
    this.#sounds = phrasebook.map(soundOf);
  }

  /** Matches samples at 8,000 Hz; undefined when they are none of the phrases. */
  match(samples: Int16Array): string | undefined {
    const recogniser = new SoundRecogniser(this.#sounds, L16_8K);
    const heard = [encodeSamples('l16', samples), SILENCE].flatMap((audio) => [...recogniser.push(audio)]);
    const words = heard.flatMap((moment) => moment.words.map(({ text }) => text));
    return words.length === 0 ? undefined : words.join(' ');
  }
}
