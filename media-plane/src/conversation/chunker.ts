/**
 * Cuts the model's stream of text into pieces that a voice can speak with right intonation, as early as
 * that is possible: whole sentences, and for the first piece of an answer already a clause, because the
 * caller is waiting.
 */

/** Shorter pieces sound chopped, in characters. */
const MIN_SENTENCE = 12;
const MIN_FIRST_CLAUSE = 24;
/** A sentence without any end is cut at a space here, in characters. */
const MAX_PIECE = 240;

/** A full stop after these is part of the word. */
const ABBREVIATION =
  /(?:^|[\s(])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|vs|etc|e\.g|i\.e|a\.m|p\.m|approx|Inc|Ltd|Co|z\.B|bzw|Sr|Sra|M|Mme)\.$/;
const SENTENCE_END = /[.!?…]+["')\]]*\s|[。！？]|\n+/g;
const CLAUSE_END = /[,;:—–]\s/g;

export class SentenceChunker {
  #buffer = '';
  #first = true;

  /** Adds text; returns the pieces that are complete now. */
  push(delta: string): string[] {
    this.#buffer += delta;
    const pieces: string[] = [];
    for (let end = this.#pieceEnd(); end > 0; end = this.#pieceEnd()) {
      this.#take(end, pieces);
    }
    return pieces;
  }

  /** Returns the rest, if there is any: no more text will come. */
  end(): string | undefined {
    const pieces: string[] = [];
    this.#take(this.#buffer.length, pieces);
    return pieces[0];
  }

  #take(end: number, pieces: string[]): void {
    const piece = this.#buffer.slice(0, end).trim();
    this.#buffer = this.#buffer.slice(end);
    if (piece === '') return;
    this.#first = false;
    pieces.push(piece);
  }

  #pieceEnd(): number {
    for (const match of this.#buffer.matchAll(SENTENCE_END)) {
      const end = match.index + match[0].length;
      const text = this.#buffer.slice(0, end).trim();
      if (text.length < MIN_SENTENCE && !match[0].includes('\n')) continue;
      if (ABBREVIATION.test(text)) continue;
      return end;
    }
    if (this.#first) {
      for (const match of this.#buffer.matchAll(CLAUSE_END)) {
        const end = match.index + match[0].length;
        if (end >= MIN_FIRST_CLAUSE) return end;
      }
    }
    if (this.#buffer.length > MAX_PIECE) {
      const space = this.#buffer.lastIndexOf(' ', MAX_PIECE);
      return space > 0 ? space + 1 : MAX_PIECE;
    }
    return 0;
  }
}
