import { decodeMulaw } from '@voice/shared/audio/g711';
import type { Phrase } from './phrasebook.js';
import { FRAME_SAMPLES, likeness, spectrum } from './spectrum.js';

/** What going faster or slower than the phrase costs, a frame. */
const OFF_PACE = 0.15;
/** An utterance may begin within so many frames of where it is thought to. */
const START_WITHIN = 6;

/**
 * A phrase by its sound, frame for frame, without the silence before it; at last one frame of silence for all after
 * it.
 */
export interface SoundOfPhrase {
  readonly phrase: Phrase;
  readonly frames: readonly (Float32Array | null)[];
  /** Frames of silence that were left out at the begin. */
  readonly skipped: number;
}

export function soundOf(phrase: Phrase): SoundOfPhrase {
  const frames: (Float32Array | null)[] = [];
  for (let at = 0; at < phrase.audio.length; at += FRAME_SAMPLES) {
    const samples = new Int16Array(FRAME_SAMPLES);
    decodeMulaw(phrase.audio.subarray(at, at + FRAME_SAMPLES), samples);
    frames.push(spectrum(samples));
  }
  const skipped = Math.max(
    0,
    frames.findIndex((frame) => frame !== null),
  );
  // The silence after the phrase, however long.
  return {
    phrase,
    frames: [...frames.slice(skipped, frames.findLastIndex((frame) => frame !== null) + 1), null],
    skipped,
  };
}

/** How well an utterance, so far, is this phrase, so far: the best path through its frames (Viterbi). */
export class PhraseTrack {
  readonly sound: SoundOfPhrase;
  readonly #scores: Float64Array;
  readonly #from: number;
  #begun = false;

  /** `from` is the frame of the phrase with which the utterance begins: another than 0 goes on with one. */
  constructor(sound: SoundOfPhrase, from = 0) {
    this.sound = sound;
    this.#from = from;
    this.#scores = new Float64Array(sound.frames.length).fill(Number.NEGATIVE_INFINITY);
  }

  /** Takes the utterance's next frame. */
  take(frame: Float32Array | null): void {
    const scores = this.#scores;
    for (let at = scores.length - 1; at >= 0; at--) {
      let before = scores[at]! - (at === scores.length - 1 ? 0 : OFF_PACE);
      if (at > 0) before = Math.max(before, scores[at - 1]!);
      if (at > 1) before = Math.max(before, scores[at - 2]! - OFF_PACE);
      if (!this.#begun && Math.abs(at - this.#from) <= START_WITHIN) before = 0;
      scores[at] = before + likeness(frame, this.sound.frames[at]!);
    }
    this.#begun = true;
  }

  /** The frame of the phrase where the utterance most likely is, and the path's score. */
  get best(): { readonly at: number; readonly score: number } {
    let at = 0;
    for (let n = 1; n < this.#scores.length; n++) if (this.#scores[n]! > this.#scores[at]!) at = n;
    return { at, score: this.#scores[at] ?? Number.NEGATIVE_INFINITY };
  }
}
