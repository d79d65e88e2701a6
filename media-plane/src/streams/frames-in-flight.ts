import { FRAME_MS } from '@voice/shared/audio/g711';

/** Tracks when each frame that was written and not yet heard is heard, monotonic ms, oldest first. Bounded. */
export class FramesInFlight {
  readonly #due: Float64Array;
  #first = 0;
  #count = 0;
  /** When the last frame that was taken out ended. */
  #heardUntil = Number.NEGATIVE_INFINITY;

  /** @param capacityMs audio that may be in flight, in ms */
  constructor(capacityMs: number) {
    this.#due = new Float64Array(Math.ceil(capacityMs / FRAME_MS) + 1);
  }

  get count(): number {
    return this.#count;
  }

  /** Returns how many frames more it can hold. */
  get room(): number {
    return this.#due.length - this.#count;
  }

  /** Returns when the n-th frame is heard. */
  dueAt(n: number): number {
    return this.#due[(this.#first + n) % this.#due.length]!;
  }

  /** Adds a frame that was written. It is heard at `due`, or when the frame before it has ended. */
  add(due: number): void {
    const free = this.#count === 0 ? this.#heardUntil : this.dueAt(this.#count - 1) + FRAME_MS;
    this.#set(this.#count, Math.max(due, free));
    this.#count++;
  }

  /** Takes the oldest frame, which was heard. */
  takeOldest(): number {
    const due = this.dueAt(0);
    this.#first = (this.#first + 1) % this.#due.length;
    this.#count--;
    this.#heardUntil = due + FRAME_MS;
    return due;
  }

  /** Moves all frames in time; none is heard before what was heard already. */
  shift(deltaMs: number): void {
    let free = this.#heardUntil;
    for (let n = 0; n < this.#count; n++) {
      const due = Math.max(this.dueAt(n) + deltaMs, free);
      this.#set(n, due);
      free = due + FRAME_MS;
    }
  }

  /** Delays the newest `count` frames: they cannot begin before `earliest`, one behind the other. */
  delayNewest(count: number, earliest: number): void {
    let free = earliest;
    for (let n = Math.max(0, this.#count - count); n < this.#count; n++) {
      const due = Math.max(this.dueAt(n), free);
      this.#set(n, due);
      free = due + FRAME_MS;
    }
  }

  /** Drops what was in flight: it will not be heard. */
  clear(): void {
    this.#count = 0;
    this.#heardUntil = Number.NEGATIVE_INFINITY;
  }

  #set(n: number, due: number): void {
    this.#due[(this.#first + n) % this.#due.length] = due;
  }
}
