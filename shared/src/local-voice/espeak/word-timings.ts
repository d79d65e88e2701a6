import type { EspeakEvent } from '@echogarden/espeak-ng-emscripten';
import type { SpokenWord } from '../speech/messages.js';

/**
 * Turns espeak-ng's events into the timings of the text's words. espeak-ng splits otherwise than readers
 * do (`3:30` is two words, `from the` one, `–` none), so a word here is what stands between white space: it
 * begins with the first event inside it and ends with the last of its phonemes; words that espeak-ng joins
 * share their time by their letters.
 */
export class WordTimings {
  readonly #words: readonly { text: string; from: number; to: number }[];
  /** Words before this one have been returned. */
  #next = 0;
  #current: { index: number; startMs: number } | undefined;
  /** Since when nothing but a pause has followed the current word. */
  #pauseMs: number | undefined;

  constructor(text: string) {
    const words: { text: string; from: number; to: number }[] = [];
    let word = '';
    let position = 0;
    const end = () => {
      if (word !== '') words.push({ text: word, from: position - [...word].length + 1, to: position });
      word = '';
    };
    for (const character of text) {
      if (/\s/u.test(character)) end();
      else word += character;
      position++;
    }
    end();
    this.#words = words;
  }

  /** Takes espeak-ng's next events; answers the words that are complete now. */
  take(events: readonly EspeakEvent[]): SpokenWord[] {
    const complete: SpokenWord[] = [];
    for (const event of events) {
      if (event.type === 'word') {
        const index = this.#words.findIndex(
          (word) => word.from <= event.text_position && event.text_position <= word.to,
        );
        if (index > (this.#current?.index ?? -1)) {
          complete.push(...this.#complete(index, event.audio_position));
          this.#current = { index, startMs: event.audio_position };
        }
        this.#pauseMs = undefined;
      } else if (event.type === 'phoneme') {
        this.#pauseMs = event.id === '' ? (this.#pauseMs ?? event.audio_position) : undefined;
      }
    }
    return complete;
  }

  /** Returns the words that are left when the audio has ended at `endMs`. */
  finish(endMs: number): SpokenWord[] {
    return this.#complete(this.#words.length, endMs);
  }

  /** Returns the words up to `nextIndex`, whose time begins at `nextStartMs`. */
  #complete(nextIndex: number, nextStartMs: number): SpokenWord[] {
    const startMs = this.#current?.startMs ?? nextStartMs;
    const endMs = Math.max(startMs, Math.min(this.#pauseMs ?? nextStartMs, nextStartMs));
    const spokenFrom = this.#current?.index ?? nextIndex;
    const letters = this.#words.map((word, index) => (index < spokenFrom ? 0 : lettersOf(word.text)));
    const total = letters.slice(this.#next, nextIndex).reduce((sum, count) => sum + count, 0);
    const complete: SpokenWord[] = [];
    let before = 0;
    const at = (count: number) => startMs + (total === 0 ? 0 : ((endMs - startMs) * count) / total);
    for (; this.#next < nextIndex; this.#next++) {
      const count = letters[this.#next]!;
      complete.push({ text: this.#words[this.#next]!.text, startMs: at(before), endMs: at(before + count) });
      before += count;
    }
    this.#current = undefined;
    return complete;
  }
}

function lettersOf(word: string): number {
  return word.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
