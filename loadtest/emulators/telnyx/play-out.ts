/** Bytes of a 20 ms frame of mu-law at 8,000 Hz, and its silence. */
export const FRAME_BYTES = 160;
export const FRAME_MS = 20;
const SILENCE = 0xff;

export interface Played {
  readonly frame: Uint8Array;
  /** Names of the marks whose audio has all been played with this frame. */
  readonly marks: readonly string[];
}

/**
 * What the caller is yet to hear: audio in the order of its arrival, and marks between. A mark is due when
 * everything before it was played, or was cleared (developers.telnyx.com, "Media streaming").
 */
export class PlayOut {
  #audio: Buffer = Buffer.alloc(0);
  /** Each with how much audio is still before it, in bytes. */
  #marks: { readonly name: string; before: number }[] = [];

  audio(bytes: Buffer): void {
    this.#audio = Buffer.concat([this.#audio, bytes]);
  }

  mark(name: string): void {
    this.#marks.push({ name, before: this.#audio.length });
  }

  /** Drops the audio; returns the marks that waited for it. */
  clear(): readonly string[] {
    this.#audio = Buffer.alloc(0);
    return this.#take(Number.POSITIVE_INFINITY);
  }

  /** Returns the next 20 ms, silence where there is nothing. */
  play(): Played {
    const frame = new Uint8Array(FRAME_BYTES).fill(SILENCE);
    frame.set(this.#audio.subarray(0, FRAME_BYTES));
    this.#audio = this.#audio.subarray(FRAME_BYTES);
    return { frame, marks: this.#take(FRAME_BYTES) };
  }

  #take(bytes: number): readonly string[] {
    for (const mark of this.#marks) mark.before -= bytes;
    const due = this.#marks.filter(({ before }) => before <= 0).map(({ name }) => name);
    this.#marks = this.#marks.filter(({ before }) => before > 0);
    return due;
  }
}
