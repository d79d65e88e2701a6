/** Keeps the latest frames, bounded. Slots are kept and reused, so that a running call allocates nothing a frame. */
export class FrameRing {
  readonly #capacity: number;
  readonly #free: Uint8Array[] = [];
  #frames: Uint8Array[] = [];

  /** @param capacity frames */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#frames.length;
  }

  /** Copies a frame; the oldest makes room for it. */
  push(frame: Uint8Array): void {
    if (this.#frames.length >= this.#capacity) this.keep(this.#capacity - 1);
    const free = this.#free.pop();
    const slot = free?.length === frame.length ? free : new Uint8Array(frame.length);
    slot.set(frame);
    this.#frames.push(slot);
  }

  /** Forgets all but the latest frames. */
  keep(count: number): void {
    while (this.#frames.length > count) this.#free.push(this.#frames.shift()!);
  }

  /** Gives all out, oldest first, and forgets them; each is valid until the next `push`. */
  *drain(): Generator<Uint8Array> {
    const frames = this.#frames;
    this.#frames = [];
    yield* frames;
    this.#free.push(...frames);
  }
}
