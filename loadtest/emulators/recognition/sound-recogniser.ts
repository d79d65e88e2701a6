import type { AudioFormat } from '@voice/shared/audio/format';
import { SampleReader } from '@voice/shared/audio/sample-reader';
import type { PhraseRecogniser } from './phrase-recogniser.js';
import { PhraseTrack, type SoundOfPhrase } from './phrase-track.js';
import { FRAME_MS, type PhraseWord } from './phrasebook.js';
import type { RecognisedFrame, RecognisedWord } from './recogniser.js';
import { FRAME_SAMPLES, spectrum } from './spectrum.js';

/** Silence that ends an utterance, ms. */
const END_MS = 600;
/**
 * Mean likeness a frame from which on an utterance is a phrase and not something else: behind another codec phrases
 * have 0.8 to 0.9, other speech of the same voice 0.5 to 0.6. Of so many frames at least.
 */
const LIKE_ENOUGH = 0.68;
const FRAMES_TO_DISTINGUISH = 25;
/** By how much a phrase must be ahead of every other one before its words are given, over the whole utterance. */
const AHEAD = 4;
/** A word is given when so much audio after it has come, in ms. */
const AFTER_WORD_MS = 80;

/** Where an utterance is in a phrase, and how many of its words were given. */
interface Place {
  readonly sound: SoundOfPhrase;
  readonly frame: number;
  readonly given: number;
}

/**
 * Hears known phrases by their sound, whatever codecs, gains and small losses they went through; what is none
 * of them is speech without words to it. A phrase that breaks off may go on after the pause. The other recogniser
 * wants the very bytes.
 */
export class SoundRecogniser implements PhraseRecogniser {
  readonly #sounds: readonly SoundOfPhrase[];
  readonly #reader: SampleReader;
  #samples = new Int16Array(0);
  #atMs = 0;
  #tracks: PhraseTrack[] | null = null;
  #utteranceFrames = 0;
  /** At the last sound of a phrase. */
  #place: Place | null = null;
  /** The track of this utterance that goes on with the phrase of the one before, and the words given in that. */
  #goesOn: { readonly track: PhraseTrack; readonly given: number } | null = null;
  #given = 0;
  /** From the phrase's times to the connection's, ms. */
  #offsetMs = 0;
  #silenceMs = 0;

  constructor(sounds: readonly SoundOfPhrase[], format: AudioFormat) {
    this.#sounds = sounds;
    this.#reader = new SampleReader({ format, sampleRate: 8000 });
  }

  get atMs(): number {
    return this.#atMs;
  }

  *push(audio: Uint8Array): Generator<RecognisedFrame> {
    const more = this.#reader.read(audio);
    const samples = new Int16Array(this.#samples.length + more.length);
    samples.set(this.#samples);
    samples.set(more, this.#samples.length);
    let offset = 0;
    for (; offset + FRAME_SAMPLES <= samples.length; offset += FRAME_SAMPLES) {
      yield this.#frame(samples.subarray(offset, offset + FRAME_SAMPLES));
    }
    this.#samples = samples.slice(offset);
  }

  #frame(samples: Int16Array): RecognisedFrame {
    this.#atMs += FRAME_MS;
    const frame = spectrum(samples);
    this.#silenceMs = frame ? 0 : this.#silenceMs + FRAME_MS;
    const started = frame !== null && this.#tracks === null;
    if (started) {
      this.#tracks = this.#sounds.map((sound) => new PhraseTrack(sound));
      this.#goesOn = this.#place && {
        track: new PhraseTrack(this.#place.sound, this.#place.frame),
        given: this.#place.given,
      };
      if (this.#goesOn) this.#tracks.push(this.#goesOn.track);
      this.#place = null;
      this.#utteranceFrames = 0;
      this.#given = 0;
    }
    let words: RecognisedWord[] = [];
    if (this.#tracks) {
      for (const track of this.#tracks) track.take(frame);
      this.#utteranceFrames++;
      const isOver = this.#silenceMs >= END_MS;
      words = this.#words(this.#tracks, isOver);
      if (isOver) this.#tracks = null;
    }
    return { atMs: this.#atMs, speaking: this.#tracks !== null, started, words, silenceMs: this.#silenceMs };
  }

  /** Collects the words that have become certain. */
  #words(tracks: readonly PhraseTrack[], isOver: boolean): RecognisedWord[] {
    const ranked = tracks.map((track) => ({ track, ...track.best })).sort((a, b) => b.score - a.score);
    const [first] = ranked;
    if (!first || first.score < LIKE_ENOUGH * this.#utteranceFrames) return [];
    if (!isOver && this.#utteranceFrames < FRAMES_TO_DISTINGUISH) return [];
    const { phrase, skipped } = first.track.sound;
    const frame = first.at + skipped;
    const heardMs = (frame + 1) * FRAME_MS;
    const isBehind = first.at === first.track.sound.frames.length - 1;
    // In the silence after the phrase, its words stay where they were.
    if (!isBehind) this.#offsetMs = this.#atMs - heardMs;
    if (first.track === this.#goesOn?.track) this.#given = Math.max(this.#given, this.#goesOn.given);
    const offsetMs = this.#offsetMs;
    const certain: PhraseWord[] = [];
    for (const [n, word] of phrase.words.entries()) {
      const isHeard = isBehind || word.endMs + (isOver ? 0 : AFTER_WORD_MS) <= heardMs;
      if (!isHeard) break;
      const isOpen = ranked.some(
        ({ track, score }) =>
          score > first.score - AHEAD && !beginsLike(track.sound.phrase.words, phrase.words, n + 1),
      );
      if (isOpen && !isOver) break;
      certain.push(word);
    }
    const fresh = certain.slice(this.#given);
    this.#given = Math.max(this.#given, certain.length);
    const isPhraseOver = this.#given === phrase.words.length;
    if (this.#silenceMs === 0)
      this.#place = { sound: first.track.sound, frame: first.at, given: this.#given };
    else if (this.#place) this.#place = isPhraseOver ? null : { ...this.#place, given: this.#given };
    return fresh.map(({ text, startMs, endMs }) => ({
      text,
      startMs: Math.max(0, startMs + offsetMs),
      endMs: Math.max(0, Math.min(this.#atMs, endMs + offsetMs)),
    }));
  }
}

function beginsLike(a: readonly PhraseWord[], b: readonly PhraseWord[], words: number): boolean {
  for (let n = 0; n < words; n++) if (a[n]?.text !== b[n]?.text) return false;
  return true;
}
