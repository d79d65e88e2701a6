/** Aborts a turn of which not everything was heard: what was made of it and not heard was made in vain. */
export class TurnCut extends Error {
  readonly reason: 'dropped_guess' | 'cut_speech';
  /** Characters of the turn's text that were heard. */
  readonly heard: number;
  /** Of all its text so far. */
  readonly written: number;

  constructor(reason: TurnCut['reason'], heard = 0, written = 0) {
    super(reason);
    this.name = 'TurnCut';
    this.reason = reason;
    this.heard = heard;
    this.written = written;
  }

  /** Returns which share of the text was not heard, 0..1. */
  get unheardShare(): number {
    return this.written === 0 ? 1 : Math.max(0, 1 - this.heard / this.written);
  }
}
