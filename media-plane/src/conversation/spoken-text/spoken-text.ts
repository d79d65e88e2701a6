import { type ChunkerOptions, SentenceChunker } from './chunker.js';
import { HiddenBlocks } from './hidden-blocks.js';
import { findSpokenLanguage } from './languages/find-language.js';
import { type SpokenForm, spokenForm } from './spoken-form.js';

/** What a voice leaves to us, and what it is able to do. */
export interface SpeechManner {
  /** BCP 47. */
  readonly language: string;
  /** Whether numbers, dates and abbreviations are written out for it. */
  readonly writesOut: boolean;
  /** Whether it goes on from a piece that ends within a clause as if it had not been cut. */
  readonly startsMidClause: boolean;
}

/** Unspoken characters that may be read again, over and above one for each character that came. */
const MAX_READ_AGAIN = 20_000;

/** Returns how a fixed text is said. Pure. */
export function spokenText(text: string, { language, writesOut }: SpeechManner): SpokenForm {
  return spokenForm(text.trim(), writesOut ? findSpokenLanguage(language) : undefined);
}

/**
 * Converts a model's stream of text to what is said: the pieces that a voice is given one after the other, each with
 * how it was written. Deltas may cut the text anywhere: the same text gives the same speech. Takes time linear in the
 * text.
 */
export class SpokenText {
  readonly #manner: SpeechManner;
  readonly #hidden = new HiddenBlocks();
  readonly #chunker: SentenceChunker;
  /** Writing of which nothing is said; it belongs to what follows it. */
  #unspoken = '';
  /** Unspoken characters that may still be read again. */
  #readAgain = MAX_READ_AGAIN;
  /** What was said last. */
  #said = '';

  constructor(manner: SpeechManner) {
    this.#manner = manner;
    this.#chunker = new SentenceChunker(chunkerOptions(manner));
  }

  /** Adds text; returns the pieces that are complete now. */
  push(delta: string): SpokenForm[] {
    const forms: SpokenForm[] = [];
    for (let i = 0; i < delta.length; i++) this.#add(this.#hidden.push(delta.charAt(i)), forms);
    return forms;
  }

  /** Returns the rest, if anything of it is said: no more text will come. */
  end(): SpokenForm[] {
    const forms: SpokenForm[] = [];
    this.#add(this.#hidden.end(), forms);
    const rest = this.#chunker.end();
    if (rest !== undefined) this.#speak(rest, forms);
    return forms;
  }

  #add(text: string, forms: SpokenForm[]): void {
    if (text === '') return;
    for (const piece of this.#chunker.push(text)) this.#speak(piece, forms);
  }

  #speak(piece: string, forms: SpokenForm[]): void {
    const { language, writesOut } = this.#manner;
    this.#readAgain += piece.length - this.#unspoken.length;
    if (this.#readAgain < 0) {
      // Thousands of marks and no word: nobody misses them, and reading all for each piece takes quadratic time.
      this.#readAgain += this.#unspoken.length;
      this.#unspoken = '';
    }
    const text = this.#unspoken + piece;
    const form = spokenForm(text, writesOut ? findSpokenLanguage(language) : undefined, this.#said);
    this.#unspoken = form.spoken === '' ? text : '';
    if (form.spoken === '') return;
    this.#said = form.spoken;
    forms.push(form);
  }
}

function chunkerOptions({ language, startsMidClause }: SpeechManner): ChunkerOptions {
  const rules = findSpokenLanguage(language);
  // A month is said with its day.
  const binding = rules && new Set([...rules.binding, ...rules.months.keys()]);
  return { startsMidClause, binding, ordinalStop: rules?.ordinalStop };
}
