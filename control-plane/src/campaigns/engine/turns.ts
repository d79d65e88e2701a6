/** Lets so many tasks run side by side; the others wait for their turn, in their order. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(sideBySide: number) {
    this.#free = sideBySide;
  }

  async take<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
