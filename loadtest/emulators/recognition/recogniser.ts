import type { FrameIndex, Match } from './frame-index.js';
import { FRAME_BYTES, FRAME_MS, type Phrase, type PhraseWord } from './phrasebook.js';

export interface RecognisedWord {
  readonly text: string;
  /** In ms since the first audio of the connection. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface RecognisedFrame {
  /** Position after the frame, in ms since the first audio of the connection. */
  readonly atMs: number;
  readonly speaking: boolean;
  /** Whether speech began with this frame. */
  readonly started: boolean;
  /** Words whose last audio arrived with this frame. */
  readonly words: readonly RecognisedWord[];
  /** ms of audio since the last known speech. */
  readonly silenceMs: number;
}

/** Silence that a speaker may leave within a phrase before it counts as its end, in ms. */
const WITHIN_PHRASE_MS = 200;

/** Recognises known phrases in a stream of the index's format, word by word; everything else is silence to it. */
export class Recogniser {
  readonly #index: FrameIndex;
  #rest = new Uint8Array(0);
  #atMs = 0;
  #place: Match | undefined;
  #given = new Set<PhraseWord>();
  #enteredAtMs = 0;
  #lastSpeechMs = 0;
  #speaking = false;

  constructor(index: FrameIndex) {
    this.#index = index;
  }

  /** ms of audio taken so far. */
  get atMs(): number {
    return this.#atMs;
  }

  /** Takes audio of any length; gives the result of each whole frame. */
  *push(audio: Uint8Array): Generator<RecognisedFrame> {
    const bytes = this.#rest.length === 0 ? audio : Buffer.concat([this.#rest, audio]);
    const { frameBytes } = this.#index;
    let offset = 0;
    for (; offset + frameBytes <= bytes.length; offset += frameBytes) {
      yield this.#frame(bytes.subarray(offset, offset + frameBytes));
    }
    this.#rest = new Uint8Array(bytes.subarray(offset));
  }

  #frame(frame: Uint8Array): RecognisedFrame {
    const startMs = this.#atMs;
    this.#atMs += FRAME_MS;
    const place = this.#index.find(frame, this.#place);
    if (place) this.#follow(place);
    this.#place = place;
    const speech = place !== undefined && !this.#index.isSilent(frame);
    const started = speech && !this.#speaking;
    if (speech) {
      this.#lastSpeechMs = this.#atMs;
      this.#speaking = true;
    }
    const silenceMs = this.#atMs - this.#lastSpeechMs;
    if (silenceMs > WITHIN_PHRASE_MS) this.#speaking = false;
    const words = place ? this.#wordsUpTo(place, startMs) : [];
    return { atMs: this.#atMs, speaking: this.#speaking, started, words, silenceMs };
  }

  /** Keeps account of which words of the phrase at this place are still to come. */
  #follow(place: Match): void {
    const { phrase, frame } = place;
    const previous = this.#place;
    if (previous?.frame === frame - 1) {
      if (previous.phrase === phrase) return;
      // Two phrases began alike and now differ: the words that they share have been given.
      this.#given = new Set(phrase.words.filter((word) => word.endMs <= frame * FRAME_MS));
      return;
    }
    this.#given = new Set();
    this.#enteredAtMs = (frame - this.#index.silenceBefore(place)) * FRAME_MS;
  }

  /** Collects the words of the phrase that ended by this frame, unless their beginning was missed. */
  #wordsUpTo({ phrase, frame }: Match, frameStartMs: number): RecognisedWord[] {
    const phraseMs = (frame + 1) * FRAME_MS;
    const last = phraseMs >= lengthMs(phrase);
    const offsetMs = frameStartMs - frame * FRAME_MS;
    const words: RecognisedWord[] = [];
    for (const word of phrase.words) {
      if (this.#given.has(word) || (word.endMs > phraseMs && !last)) continue;
      this.#given.add(word);
      if (word.startMs + FRAME_MS < this.#enteredAtMs) continue;
      words.push({ text: word.text, startMs: offsetMs + word.startMs, endMs: offsetMs + word.endMs });
    }
    return words;
  }
}

function lengthMs(phrase: Phrase): number {
  return Math.ceil(phrase.audio.length / FRAME_BYTES) * FRAME_MS;
}
