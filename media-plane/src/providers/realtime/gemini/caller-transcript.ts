import type { RealtimeEvent } from '../port.js';

type CallerTranscriptEvent = Extract<RealtimeEvent, { type: 'caller_transcript' }>;

/**
 * Gathers the caller's words, turn by turn. The service gives pieces, in no fixed order with its answer and without an
 * end: a turn's text is final when its answer is complete or the next turn begins, and final again where a piece comes
 * late.
 */
export class CallerTranscript {
  readonly #publish: (event: CallerTranscriptEvent) => void;
  #number = 1;
  #text = '';
  #closed = false;
  #forgotten = false;

  constructor(publish: (event: CallerTranscriptEvent) => void) {
    this.#publish = publish;
  }

  /** Returns whether words of a turn came that is not complete. */
  get open(): boolean {
    return this.#text !== '' && !this.#closed;
  }

  piece(text: string, finished = false): void {
    if (this.#forgotten || (text === '' && !finished)) return;
    this.#text += text;
    if (finished) this.#closed = true;
    if (this.#text.trim() !== '') this.#emit(this.#closed);
  }

  /** Closes the turn: its words are complete as far as is known. */
  close(): void {
    if (this.#closed || this.#text.trim() === '') return;
    this.#closed = true;
    this.#emit(true);
  }

  /** Forgets a turn that was none: nothing more of it is reported. */
  forget(): void {
    this.#text = '';
    this.#forgotten = true;
  }

  /** Begins the turn anew: all of it is said again. */
  again(): void {
    this.#text = '';
    this.#closed = false;
  }

  /** Begins another turn. */
  next(): void {
    this.close();
    this.#forgotten = false;
    if (this.#text === '') return;
    this.#number += 1;
    this.#text = '';
    this.#closed = false;
  }

  #emit(final: boolean): void {
    this.#publish({
      type: 'caller_transcript',
      item: `turn-${this.#number}`,
      text: this.#text.trim(),
      final,
    });
  }
}
