/** Packets further behind the newest one than this are not distinguished from duplicates. */
const REMEMBERED = 1024;

/** Records which sequence numbers (unwrapped) have come: counts what was received and lost, knows what came twice. */
export class ReceptionRecord {
  readonly #seen = new Float64Array(REMEMBERED).fill(-1);
  #first: number | undefined;
  #last = 0;
  /** Of the present stream. */
  #unique = 0;
  #receivedBefore = 0;
  #lostBefore = 0;

  /** Adds a number. False: it came before, or is too old to say. */
  add(sequence: number): boolean {
    if (this.#first === undefined) {
      this.#first = sequence;
      this.#last = sequence;
    }
    if (sequence <= this.#last - REMEMBERED) return false;
    const slot = ((sequence % REMEMBERED) + REMEMBERED) % REMEMBERED;
    if (this.#seen[slot] === sequence) return false;
    this.#seen[slot] = sequence;
    this.#first = Math.min(this.#first, sequence);
    this.#last = Math.max(this.#last, sequence);
    this.#unique++;
    return true;
  }

  /** Begins the numbers anew. */
  restart(): void {
    this.#receivedBefore += this.#unique;
    this.#lostBefore += this.#lostNow;
    this.#unique = 0;
    this.#first = undefined;
    this.#seen.fill(-1);
  }

  get received(): number {
    return this.#receivedBefore + this.#unique;
  }

  get lost(): number {
    return this.#lostBefore + this.#lostNow;
  }

  get #lostNow(): number {
    return this.#first === undefined ? 0 : this.#last - this.#first + 1 - this.#unique;
  }
}
