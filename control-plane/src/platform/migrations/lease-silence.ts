import type { LeaseRow } from './migration-rows.js';

/** A look at the lease that another replica holds; when it was answered, in ms of a clock that never jumps. */
export interface Look {
  readonly row: Pick<LeaseRow, 'holder' | 'until'>;
  readonly at: number;
}

export interface SilenceOptions {
  /** For how long the holder must have renewed nothing to be taken for dead, in ms. */
  readonly silenceMs: number;
  /** The longest time between two looks that still counts, in ms. */
  readonly longestGapMs: number;
}

/**
 * Judges from looks at the lease whether its holder is dead. Only time counts in which this replica looked all along
 * and the store answered it: where either stood still, so may the holder have.
 */
export class LeaseSilence {
  readonly #options: SilenceOptions;
  #last: Look | undefined;
  #silentSince = 0;

  constructor(options: SilenceOptions) {
    this.#options = options;
  }

  /** Takes a look into account; returns whether the holder was silent for long enough. */
  isOver(look: Look): boolean {
    const { silenceMs, longestGapMs } = this.#options;
    const last = this.#last;
    this.#last = look;
    const isGapless = last !== undefined && look.at - last.at <= longestGapMs;
    const isSame =
      last !== undefined &&
      last.row.holder === look.row.holder &&
      last.row.until.getTime() === look.row.until.getTime();
    if (!isGapless || !isSame) this.#silentSince = look.at;
    return look.at - this.#silentSince >= silenceMs;
  }
}
