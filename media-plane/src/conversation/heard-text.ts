import type { SpeechAlignment } from '../providers/tts/port.js';

/**
 * Computes what of a turn has been heard, from how long it was audible. Collects the voice's alignment as it comes;
 * where the voice gives none, the text is taken in proportion to the audio. A word counts as heard when its last
 * character was spoken.
 */
export class HeardText {
  #text = '';
  #audioMs = 0;
  readonly #chars: string[] = [];
  readonly #startMs: number[] = [];
  readonly #endMs: number[] = [];

  /** Adds a sentence that was handed to the voice. */
  addSentence(sentence: string): void {
    this.#text = this.#text === '' ? sentence : `${this.#text} ${sentence}`;
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
    const heardCharacters =
      this.#chars.length > 0 ? this.#alignedCharacters(playedMs) : this.#proportionalCharacters(playedMs);
    if (heardCharacters >= countVisible(this.#text)) return this.#text;
    return cutAtWord(this.#text, heardCharacters);
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

  #proportionalCharacters(playedMs: number): number {
    const share = this.#audioMs === 0 ? 0 : Math.min(1, playedMs / this.#audioMs);
    return Math.floor(countVisible(this.#text) * share);
  }
}

/** Characters without white space: voices and texts differ in how they count spaces. */
function countVisible(text: string): number {
  let count = 0;
  for (const char of text) if (!/\s/.test(char)) count++;
  return count;
}

function cutAtWord(text: string, visibleCharacters: number): string {
  let left = visibleCharacters;
  let end = 0;
  for (const match of text.matchAll(/\S+/g)) {
    left -= countVisible(match[0]);
    if (left < 0) break;
    end = match.index + match[0].length;
  }
  return text.slice(0, end);
}
