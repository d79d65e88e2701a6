import type { Shown } from './talk-narration.js';

/** `\r`, and erase to the end of the line (ECMA-48). */
const REWRITE = '\r\x1b[K';

export interface TerminalOptions {
  readonly write: (text: string) => void;
  /** Whether a line can be written over; else passing ones are left out. */
  readonly rewrites: boolean;
  /** Characters of a line. */
  readonly columns: number;
}

/** Shows lines that stay, and below them one that passes. */
export class Terminal {
  readonly #options: TerminalOptions;

  constructor(options: TerminalOptions) {
    this.#options = options;
  }

  show({ text, passing }: Shown): void {
    const { write, rewrites, columns } = this.#options;
    if (!rewrites) {
      if (!passing) write(`${text}\n`);
      return;
    }
    // A line that is broken in two could not be written over; its end is what is new.
    const fitting = text.length < columns ? text : `…${text.slice(text.length - columns + 2)}`;
    write(passing ? REWRITE + fitting : `${REWRITE}${text}\n`);
  }

  say(text: string): void {
    this.show({ text, passing: false });
  }
}
