import { isUnspacedScript } from './scripts.js';

/**
 * Cuts the model's stream of text into pieces that a voice can speak with right intonation, as early as
 * that is possible: whole sentences, and for the first piece of an answer already a clause or a few words, because the
 * caller is waiting.
 */

export interface ChunkerOptions {
  /** Whether the voice goes on from a first piece that ends within a clause as if it had not been cut. */
  readonly startsMidClause?: boolean;
  /** Words that belong to the word after them (“the”, “to”): a piece does not end on one. */
  readonly binding?: ReadonlySet<string>;
  /** Whether a full stop makes a number an ordinal (“am 3. Mai”). */
  readonly ordinalStop?: boolean;
}

/** Shorter pieces sound chopped, in characters. */
const MIN_SENTENCE = 12;
/** The second piece may end with a clause as well, so that the voice does not run dry behind a short first one. */
const MIN_SECOND_CLAUSE = 24;
const FIRST_WORDS = 3;
/** Two characters and their comma. */
const MIN_FIRST_WIDE_CLAUSE = 6;
/** A sentence without any end is cut at a space here, in characters. */
const MAX_PIECE = 240;
/** A longer stretch of Thai is cut at its next space, which parts clauses there, in characters. */
const UNPUNCTUATED_CLAUSE = 40;
/** Code is not cut, up to this many characters. */
const MAX_UNCUT = 20_000;

/** A full stop after these is part of the word. */
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|vs|etc|e\.g|i\.e|a\.m|p\.m|approx|Inc|Ltd|Co|z\.B|d\.h|u\.a|bzw|ca|usw|Std|Min|Tel|Sr|Sra|Srta|Ud|Uds|M|Mme|Mlle|tél|Apt|ext|Hr|Fr|inkl|ggf|env|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$/u;
/** Looked for at the beginning of a run of stops only: trying each stop of it takes quadratic time. */
const SENTENCE_END = /(?<![.!?…।॥؟۔။។።])[.!?…।॥؟۔။។።]+["'”’»)\]*_]*$/;
const ORDINAL_STOP = /(?:^|\D)\d{1,2}\.$/;
/** Sentences and clauses of scripts that put no space behind them. */
const WIDE_SENTENCE_END = '。！？｡';
const WIDE_CLAUSE_END = '，、；：､';
const CLAUSE_END = /(?:[^\d\s][*_"'”’»)]*[,;:،؛]|[^\d\s]\s?[—–])["'”’»)]*$/;
const THAI_SENTENCE_END = /(?:ครับ|ค่ะ|คะ|นะคะ|จ้ะ|จ้า)$/;
const THAI = /[\u0e00-\u0eff\u1780-\u17ff]/;
const TRAILING_WORD = /([\p{L}\p{M}'’-]+)$/u;
const LETTERS = /[\p{L}\p{N}]{2}|[^\P{L}\p{Script=Latin}]/u;
/** Tested on the last characters only: the text before a quotation mark may be `MAX_UNCUT` long. */
const JSON_START = /(?:^|[\s:])\[?\{\s{0,50}$/;
const LONGEST_JSON_START = 53;
const BREAKS = '\n \t\u00a0\u3000';

/**
 * Fed one UTF-16 unit at a time inside, so that the same text gives the same pieces however it is cut. Takes time
 * linear in the text, whatever that is: a model's server may be a tenant's.
 */
export class SentenceChunker {
  readonly #options: ChunkerOptions;
  /** Never begins with white space. */
  #buffer = '';
  /** Pieces given so far, up to two. */
  #given = 0;
  #words = 0;
  #fenced = false;
  /** Brackets of JSON that are open. */
  #depth = 0;

  constructor(options: ChunkerOptions = {}) {
    this.#options = options;
  }

  /** Adds text; returns the pieces that are complete now, white space at their end included. */
  push(delta: string): string[] {
    const pieces: string[] = [];
    for (let i = 0; i < delta.length; i++) this.#add(delta.charAt(i), pieces);
    return pieces;
  }

  /** Returns the rest, if there is any: no more text will come. */
  end(): string | undefined {
    const pieces: string[] = [];
    this.#take(this.#buffer.length, pieces);
    return pieces[0];
  }

  #add(unit: string, pieces: string[]): void {
    const before = this.#buffer;
    if (before === '' && isSpace(unit)) return;
    this.#buffer += unit;
    if (unit === '`' && before.endsWith('``')) this.#fenced = !this.#fenced;
    this.#countBrackets(before, unit);
    if ((this.#fenced || this.#depth > 0) && this.#buffer.length < MAX_UNCUT) return;
    if (BREAKS.includes(unit)) {
      const endsPiece = unit === '\n' || (!isSpace(before.at(-1)) && this.#endsAtSpace(before));
      if (endsPiece) this.#take(this.#buffer.length, pieces);
    } else if (this.#endsAtOnce(unit)) {
      this.#take(this.#buffer.length, pieces);
    }
    if (this.#buffer.length > MAX_PIECE) {
      const space = this.#buffer.lastIndexOf(' ', MAX_PIECE);
      this.#take(space > 0 ? space + 1 : MAX_PIECE, pieces);
    }
  }

  /** Returns whether what stands before a space is a piece. */
  #endsAtSpace(text: string): boolean {
    if (SENTENCE_END.test(text)) {
      const ordinal = this.#options.ordinalStop === true && ORDINAL_STOP.test(text);
      if (hasSize(text, MIN_SENTENCE) && !ABBREVIATION.test(text) && !ordinal) return true;
    }
    if (THAI.test(text.at(-1) ?? '')) {
      if (THAI_SENTENCE_END.test(text) || text.length >= UNPUNCTUATED_CLAUSE || this.#given === 0)
        return true;
    }
    if (this.#given === 0) {
      this.#words++;
      return (CLAUSE_END.test(text) && LETTERS.test(text)) || this.#isFirstFewWords(text);
    }
    return this.#given === 1 && text.length >= MIN_SECOND_CLAUSE && CLAUSE_END.test(text);
  }

  #isFirstFewWords(text: string): boolean {
    const { startsMidClause, binding } = this.#options;
    if (startsMidClause !== true || this.#words < FIRST_WORDS || /[[(<`"“„«]/.test(text)) return false;
    const last = TRAILING_WORD.exec(text)?.[1];
    return last !== undefined && binding?.has(last.toLowerCase()) !== true;
  }

  /** Returns whether the buffer is a piece of a script without spaces. */
  #endsAtOnce(unit: string): boolean {
    if (WIDE_SENTENCE_END.includes(unit)) return hasSize(this.#buffer, MIN_SENTENCE);
    if (!WIDE_CLAUSE_END.includes(unit)) return false;
    const least = this.#given === 0 ? MIN_FIRST_WIDE_CLAUSE : MIN_SECOND_CLAUSE;
    return this.#given < 2 && hasSize(this.#buffer, least);
  }

  /** A tool call that is written as JSON is one piece: `{"…` until its brackets are closed. */
  #countBrackets(before: string, unit: string): void {
    if (this.#depth === 0) {
      if (unit === '"' && JSON_START.test(before.slice(-LONGEST_JSON_START))) this.#depth = 1;
    } else if (unit === '{') {
      this.#depth++;
    } else if (unit === '}') {
      this.#depth--;
    }
  }

  #take(end: number, pieces: string[]): void {
    const piece = this.#buffer.slice(0, end);
    this.#buffer = this.#buffer.slice(end).trimStart();
    if (piece === '') return;
    if (this.#given < 2) this.#given++;
    this.#words = 0;
    this.#fenced = false;
    this.#depth = 0;
    pieces.push(piece);
  }
}

function isSpace(unit: string | undefined): boolean {
  return unit !== undefined && /\s/.test(unit);
}

/** A character of a script without spaces says about as much as three letters. */
function hasSize(text: string, least: number): boolean {
  let size = 0;
  for (const char of text) {
    size += isUnspacedScript(char) ? 3 : 1;
    if (size >= least) return true;
  }
  return false;
}
