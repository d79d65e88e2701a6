/**
 * Queues decoded samples on their way to frames; of each it is known whether it was concealed. Fixed memory. The front
 * can be shortened or lengthened by a pitch period, which changes the time but not the pitch.
 */
export class SampleQueue {
  readonly #samples: Int16Array;
  readonly #madeUp: Uint8Array;
  #length = 0;

  /** @param capacity samples */
  constructor(capacity: number) {
    this.#samples = new Int16Array(capacity);
    this.#madeUp = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  get room(): number {
    return this.#samples.length - this.#length;
  }

  /** Returns what waits, oldest first; valid until the next change. */
  get samples(): Int16Array {
    return this.#samples.subarray(0, this.#length);
  }

  /** Appends samples; those without room are left out. */
  push(samples: Int16Array, madeUp: boolean): void {
    const taken = Math.min(samples.length, this.room);
    this.#samples.set(samples.subarray(0, taken), this.#length);
    this.#madeUp.fill(madeUp ? 1 : 0, this.#length, this.#length + taken);
    this.#length += taken;
  }

  /** Fills `frame` from the front, with zeros where nothing is left. Returns how many samples were made up. */
  shiftInto(frame: Int16Array): number {
    const taken = Math.min(frame.length, this.#length);
    frame.set(this.#samples.subarray(0, taken));
    frame.fill(0, taken);
    let madeUp = frame.length - taken;
    for (let n = 0; n < taken; n++) madeUp += this.#madeUp[n]!;
    this.#move(taken, 0);
    return madeUp;
  }

  /** Takes one period off the front: the first one fades into the second. Needs two periods. */
  shorten(period: number): void {
    const samples = this.#samples;
    for (let n = 0; n < period; n++) {
      const fade = n / period;
      samples[period + n] = Math.round(samples[n]! * (1 - fade) + samples[period + n]! * fade);
    }
    this.#move(period, 0);
  }

  /** Says the front's first period twice: the second one fades back into the first. Needs two periods. */
  lengthen(period: number): void {
    if (this.room < period) return;
    const samples = this.#samples;
    this.#move(0, period);
    // The front's first period is still there; what was the second one lies at 2 * period now.
    for (let n = 0; n < period; n++) {
      const fade = n / period;
      const first = samples[n]!;
      samples[period + n] = Math.round(samples[2 * period + n]! * (1 - fade) + first * fade);
    }
  }

  clear(): void {
    this.#length = 0;
  }

  #move(from: number, to: number): void {
    this.#samples.copyWithin(to, from, this.#length);
    this.#madeUp.copyWithin(to, from, this.#length);
    this.#length += to - from;
  }
}
