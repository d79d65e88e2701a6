import { decodeMulaw } from '@voice/shared/audio/g711';
import { Resampler } from '@voice/shared/audio/resample';
import type { Phrase, PhraseWord } from '../recognition/phrasebook.js';
import { difference, HOP, HOP_MS, isLoud, type Spectrum, spectraOf, spectrumAt } from './spectrum.js';

const RATE = 8000;
const WINDOW = 2 * HOP;
/** What is compared with the phrasebook, and how much of it must be sound, in hops. */
const NEEDED_HOPS = 15;
const NEEDED_LOUD_HOPS = 8;
/** How alike a place must sound to be taken, and how unlike to be given up, in dB. */
const SAME_DB = 3.5;
const OTHER_DB = 6;
/** A search over the whole phrasebook costs; so seldom is it done, in hops. */
const SEARCH_EVERY_HOPS = 5;

interface KnownPhrase {
  readonly phrase: Phrase;
  readonly spectra: readonly Spectrum[];
}

/** Spectra by phrase, for the next emulator with the same phrasebook. */
const prepared = new WeakMap<Phrase, KnownPhrase>();

/** Prepares the phrases that can be understood; built once and shared by all connections. */
export function knownPhrases(phrasebook: readonly Phrase[]): readonly KnownPhrase[] {
  return phrasebook.map((phrase) => {
    const known = prepared.get(phrase) ?? { phrase, spectra: spectraOf(decodeMulaw(phrase.audio)) };
    prepared.set(phrase, known);
    return known;
  });
}

export interface RecognisedMoment {
  /** Position after this moment, in ms since the first audio. */
  readonly atMs: number;
  /** Whether there is any sound, understood or not. */
  readonly loud: boolean;
  /** Words that were understood with this moment. */
  readonly words: readonly string[];
}

/**
 * Understands known phrases in linear PCM, word by word, whatever codec and resampling they came through: by
 * how alike they sound, not by their bytes. Everything else is noise to it.
 */
export class PhraseRecogniser {
  readonly #phrases: readonly KnownPhrase[];
  readonly #resampler: Resampler;
  #samples = new Int16Array(0);
  readonly #recent: Spectrum[] = [];
  #hops = 0;
  #place: { known: KnownPhrase; hop: number } | undefined;
  #unlike = 0;
  /** Position up to which words were given out, in ms since the first audio. */
  #saidUntilMs = 0;
  #sinceSearch = 0;

  constructor(phrases: readonly KnownPhrase[], sampleRate: number) {
    this.#phrases = phrases;
    this.#resampler = new Resampler(sampleRate, RATE);
  }

  /** Takes audio of any length. */
  *push(audio: Int16Array): Generator<RecognisedMoment> {
    yield* this.#take(this.#resampler.process(audio));
  }

  /** Ends the stream: understands what is left of it, and starts anew. */
  *end(): Generator<RecognisedMoment> {
    yield* this.#take(this.#resampler.flush());
    yield* this.#take(new Int16Array(2 * WINDOW));
    this.#place = undefined;
    this.#recent.length = 0;
    this.#samples = new Int16Array(0);
  }

  *#take(samples: Int16Array): Generator<RecognisedMoment> {
    const all = new Int16Array(this.#samples.length + samples.length);
    all.set(this.#samples);
    all.set(samples, this.#samples.length);
    let offset = 0;
    for (; offset + WINDOW <= all.length; offset += HOP) yield this.#hop(spectrumAt(all, offset));
    this.#samples = all.slice(offset);
  }

  #hop(spectrum: Spectrum): RecognisedMoment {
    this.#hops += 1;
    this.#recent.push(spectrum);
    if (this.#recent.length > NEEDED_HOPS) this.#recent.shift();
    this.#follow(spectrum);
    if (!this.#place) this.#search();
    return { atMs: this.#hops * HOP_MS, loud: isLoud(spectrum), words: this.#newWords() };
  }

  #follow(spectrum: Spectrum): void {
    const place = this.#place;
    if (!place) return;
    place.hop += 1;
    const expected = place.known.spectra[place.hop];
    if (!expected) {
      this.#place = undefined;
      return;
    }
    if (isLoud(spectrum) || isLoud(expected)) {
      this.#unlike += (difference(spectrum, expected) - this.#unlike) / NEEDED_HOPS;
    }
    if (this.#unlike > OTHER_DB) this.#place = undefined;
  }

  #search(): void {
    this.#sinceSearch += 1;
    if (this.#recent.length < NEEDED_HOPS || this.#sinceSearch < SEARCH_EVERY_HOPS) return;
    const loud = this.#recent.map(isLoud);
    if (loud.filter(Boolean).length < NEEDED_LOUD_HOPS) return;
    this.#sinceSearch = 0;
    let best = SAME_DB;
    for (const known of this.#phrases) {
      for (let hop = NEEDED_HOPS - 1; hop < known.spectra.length; hop++) {
        const unlike = this.#differenceAt(known, hop, loud, best);
        if (unlike >= best) continue;
        best = unlike;
        this.#place = { known, hop };
        this.#unlike = unlike;
      }
    }
  }

  /**
   * Computes the mean difference of the last moments from the phrase up to this hop, over the moments that are loud
   * in one of them: all silence is alike. Gives up early where it cannot win.
   */
  #differenceAt({ spectra }: KnownPhrase, hop: number, loud: readonly boolean[], limit: number): number {
    const most = limit * NEEDED_HOPS;
    let sum = 0;
    let compared = 0;
    for (let back = 0; back < NEEDED_HOPS && sum < most; back++) {
      const at = NEEDED_HOPS - 1 - back;
      const there = spectra[hop - back]!;
      if (!loud[at] && !isLoud(there)) continue;
      sum += difference(this.#recent[at]!, there);
      compared += 1;
    }
    return sum / compared;
  }

  #newWords(): string[] {
    const place = this.#place;
    if (!place) return [];
    const phraseMs = (place.hop + 2) * HOP_MS;
    const startMs = this.#hops * HOP_MS - place.hop * HOP_MS;
    const last = place.hop >= place.known.spectra.length - 3;
    const words = place.known.phrase.words.filter((word) => {
      return this.#isNew(word, startMs) && (word.endMs <= phraseMs || last);
    });
    if (words.length > 0) this.#saidUntilMs = startMs + words.at(-1)!.endMs;
    return words.map((word) => word.text);
  }

  /** Phrases may begin alike: what they share is said once. Words whose beginning was missed are not understood. */
  #isNew(word: PhraseWord, startMs: number): boolean {
    const missedMs = Math.max(this.#saidUntilMs - 40, -40);
    return startMs + word.startMs >= missedMs;
  }
}
