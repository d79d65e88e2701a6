interface Mark {
  readonly name: string;
  readonly due: number;
}

/** What a caller hears of the agent's audio, as it comes: it is played in real time. Times are of `Date.now()`. */
export class Playback {
  #until = 0;
  #marks: Mark[] = [];

  /** Until when the agent is heard by what has come so far. */
  get until(): number {
    return this.#until;
  }

  /** Takes audio; returns for how long all before it had been played by then, in ms. */
  add(at: number, lastsMs: number): number {
    const dryMs = Math.max(0, at - this.#until);
    this.#until = Math.max(this.#until, at) + lastsMs;
    return dryMs;
  }

  /** Takes a mark, which is due when what came before it has been played. */
  mark(name: string): void {
    this.#marks.push({ name, due: this.#until });
  }

  /** Drops what was not played; returns the names of the marks in it. */
  clear(at: number): readonly string[] {
    this.#until = at;
    return this.#marks.splice(0).map(({ name }) => name);
  }

  /** Returns the next mark that is due. */
  takeDue(now: number): string | undefined {
    return this.#marks[0] && this.#marks[0].due <= now ? this.#marks.shift()!.name : undefined;
  }
}
