/** How many frames wait for one that is missing: 100 ms, then it is given up as lost. */
const LONGEST_WAIT_FRAMES = 5;

interface WaitingFrame {
  readonly chunk: number;
  readonly frame: Uint8Array;
  readonly timestampMs: number;
}

export type FrameInOrder = Omit<WaitingFrame, 'chunk'>;

/**
 * Brings frames into the order of their chunk numbers. A frame that is next passes at once; one that is
 * early waits for those before it; one that is late, or a repeat, is dropped.
 */
export class FrameOrder {
  #next: number | undefined;
  readonly #waiting: WaitingFrame[] = [];

  /** The frame itself when it is its turn. What is kept is copied: the bytes may be reused after the return. */
  offer(chunk: number, frame: Uint8Array, timestampMs: number): FrameInOrder | undefined {
    this.#next ??= chunk;
    if (chunk < this.#next) return undefined;
    if (chunk === this.#next) {
      this.#next++;
      return { frame, timestampMs };
    }
    const place = this.#waiting.findIndex((waiting) => waiting.chunk >= chunk);
    if (this.#waiting[place]?.chunk === chunk) return undefined;
    this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, {
      chunk,
      frame: frame.slice(),
      timestampMs,
    });
    return undefined;
  }

  /** A frame that waited and whose turn it is now; `all` gives up on what is missing. */
  take(all = false): FrameInOrder | undefined {
    const first = this.#waiting[0];
    if (!first) return undefined;
    const due = first.chunk === this.#next || this.#waiting.length > LONGEST_WAIT_FRAMES || all;
    if (!due) return undefined;
    this.#waiting.shift();
    this.#next = first.chunk + 1;
    return first;
  }
}
