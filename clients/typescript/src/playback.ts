interface Mark {
  readonly name: string;
  /** When all audio before it will have been played (ms). */
  due: number;
}

/**
 * Knows what a listener has heard, who plays the agent's audio as it comes, in real time: marks are answered when the
 * audio before them has been played, or at once when it is dropped.
 */
export class Playback {
  readonly #bytesPerMs: number;
  #playedUntil = 0;
  #marks: Mark[] = [];

  /** @param bytesPerMs bytes of a millisecond of audio */
  constructor(bytesPerMs: number) {
    this.#bytesPerMs = bytesPerMs;
  }

  /** Audio has come, and is played after what waits. Times are ms of any clock that only goes forward. */
  audio(bytes: number, now: number): void {
    this.#playedUntil = Math.max(now, this.#playedUntil) + bytes / this.#bytesPerMs;
  }

  mark(name: string, now: number): void {
    this.#marks.push({ name, due: Math.max(now, this.#playedUntil) });
  }

  /** What was not played yet is dropped. */
  clear(now: number): void {
    this.#playedUntil = now;
    for (const mark of this.#marks) mark.due = now;
  }

  /** Returns the names of the marks to answer now, in their order, and forgets them. */
  due(now: number): string[] {
    const due = this.#marks.filter((mark) => mark.due <= now);
    this.#marks = this.#marks.filter((mark) => mark.due > now);
    return due.map((mark) => mark.name);
  }

  /** How long until the next mark is due (ms); nothing when there is none. */
  nextDueIn(now: number): number | undefined {
    if (this.#marks.length === 0) return undefined;
    return Math.max(0, Math.min(...this.#marks.map((mark) => mark.due)) - now);
  }
}
