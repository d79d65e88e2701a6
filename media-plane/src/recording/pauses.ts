/** Pauses that late frames may still fall into. */
const REMEMBERED = 8;

interface Pause {
  readonly fromMs: number;
  untilMs: number;
}

/**
 * Tracks when a recording was paused, on the clock of the call's audio. Somebody may pause while a tool does: it goes
 * on when nobody has a reason any more. Frames are judged by when they were heard, for the agent's come later than
 * that.
 */
export class Pauses {
  readonly #reasons = new Set<string>();
  readonly #pauses: Pause[] = [];

  get isPaused(): boolean {
    return this.#reasons.size > 0;
  }

  /** @param atMs the end of the latest audio of the call */
  pause(reason: string, atMs: number): void {
    if (!this.isPaused) {
      if (this.#pauses.length === REMEMBERED) this.#pauses.shift();
      this.#pauses.push({ fromMs: atMs, untilMs: Number.POSITIVE_INFINITY });
    }
    this.#reasons.add(reason);
  }

  /** @param atMs when it was resumed, no earlier than the end of the latest audio of the call */
  resume(reason: string, atMs: number): void {
    if (!this.#reasons.delete(reason) || this.isPaused) return;
    const last = this.#pauses.at(-1);
    if (last) last.untilMs = atMs;
  }

  /** Returns whether any of the audio between the two positions was heard during a pause. */
  covers(fromMs: number, untilMs: number): boolean {
    for (const pause of this.#pauses) {
      if (untilMs > pause.fromMs && fromMs < pause.untilMs) return true;
    }
    return false;
  }
}
