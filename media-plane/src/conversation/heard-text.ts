import type { SpeechAlignment } from '../providers/tts/port.js';
import { isUnspacedScript, joinPieces } from './spoken-text/scripts.js';
import { countVisible, plainSegments, type Segment } from './spoken-text/spoken-form.js';

/** Fast speech, in ms a character without white space; other scripts say more with one. */
const MS_PER_CHARACTER = 55;
const MS_PER_WIDE_CHARACTER = 150;

interface Piece {
  readonly written: string;
  readonly segments: readonly Segment[];
  /** Characters that the voice was given, white space left out. */
  readonly spoken: number;
}

/**
 * Computes what of a turn has been heard, from how long it was audible. Collects the voice's alignment as it comes;
 * where the voice gives none, what was said is taken in proportion to the audio. A word counts as heard when its last
 * character was spoken; what is heard is reported as it was written.
 */
export class HeardText {
  readonly #pieces: Piece[] = [];
  #text = '';
  #spoken = 0;
  #leastMs = 0;
  #audioMs = 0;
  #complete = false;
  readonly #chars: string[] = [];
  readonly #startMs: number[] = [];
  readonly #endMs: number[] = [];

  /**
   * Adds a sentence that was handed to the voice.
   * @param segments how it is said, where that differs from how it was written
   */
  addSentence(written: string, segments: readonly Segment[] = plainSegments(written)): void {
    const spoken = segments.at(-1)?.spokenEnd ?? 0;
    this.#pieces.push({ written, segments, spoken });
    this.#text = joinPieces(this.#text, written);
    this.#spoken += spoken;
    this.#leastMs += spoken * (isUnspacedScript(written) ? MS_PER_WIDE_CHARACTER : MS_PER_CHARACTER);
  }

  /** Adds audio of `ms` that was received, perhaps with the timing of its characters. */
  addAudio(ms: number, alignment?: SpeechAlignment): void {
    this.#audioMs += ms;
    if (!alignment) return;
    for (let i = 0; i < alignment.chars.length; i++) {
      this.#chars.push(alignment.chars[i]!);
      this.#startMs.push(alignment.startMs[i]!);
      this.#endMs.push(alignment.startMs[i]! + alignment.durationMs[i]!);
    }
  }

  /** Completes the turn: all of its text has its audio. */
  complete(): void {
    this.#complete = true;
  }

  /** Returns all of the turn's text that has been handed to the voice so far. */
  get text(): string {
    return this.#text;
  }

  get audioMs(): number {
    return this.#audioMs;
  }

  /** Returns the whole words heard in the first `playedMs` of the audio. */
  heardAt(playedMs: number): string {
    if (playedMs <= 0) return '';
    let left =
      this.#chars.length > 0 ? this.#alignedCharacters(playedMs) : this.#proportionalCharacters(playedMs);
    if (left >= this.#spoken) return this.#text;
    let heard = '';
    for (const { written, segments, spoken } of this.#pieces) {
      if (left < spoken) return joinPieces(heard, written.slice(0, heardEnd(segments, left)));
      heard = joinPieces(heard, written);
      left -= spoken;
    }
    return heard;
  }

  /** Returns the start of the word that was being spoken at `playedMs`: the place to go on from. */
  wordStartBefore(playedMs: number): number {
    let start = 0;
    let previousWasSpace = true;
    for (let i = 0; i < this.#chars.length; i++) {
      if (this.#startMs[i]! > playedMs) break;
      const space = /\s/.test(this.#chars[i]!);
      if (!space && previousWasSpace) start = this.#startMs[i]!;
      previousWasSpace = space;
    }
    return this.#chars.length > 0 ? start : playedMs;
  }

  #alignedCharacters(playedMs: number): number {
    let visible = 0;
    for (let i = 0; i < this.#chars.length; i++) {
      if (this.#endMs[i]! > playedMs) break;
      visible += countVisible(this.#chars[i]!);
    }
    return visible;
  }

  /**
   * Of a turn that is still being made, the audio so far is that of the text so far up to some place in it: it cannot
   * have been said faster than anybody speaks.
   */
  #proportionalCharacters(playedMs: number): number {
    const wholeMs = this.#complete ? this.#audioMs : Math.max(this.#audioMs, this.#leastMs);
    const share = wholeMs === 0 ? 0 : Math.min(1, playedMs / wholeMs);
    return Math.floor(this.#spoken * share);
  }
}

/** Returns where in the writing the words end that were heard. */
function heardEnd(segments: readonly Segment[], spokenCharacters: number): number {
  let end = 0;
  for (const { writtenEnd, spokenEnd } of segments) {
    if (spokenEnd > spokenCharacters) break;
    end = writtenEnd;
  }
  return end;
}
