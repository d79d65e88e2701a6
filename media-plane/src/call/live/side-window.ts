import type { AudioFormat } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import { decodeFrame, sampleCount } from './samples.js';

/** How much audio of one side is kept, in ms: what may come late, with room to spare. */
export const WINDOW_MS = 3000;
/** A frame this close to the end of the one before it follows it without a seam, in ms. */
const SEAM_MS = 10;

/** Keeps the latest audio of one side of a call by its place in time; what never came is silence. */
export class SideWindow {
  readonly #format: AudioFormat;
  readonly #ring: Int16Array;
  #decoded: Int16Array;
  /** Sample behind the frame that was placed last; undefined before the first. */
  #end: number | undefined;

  constructor(format: AudioFormat) {
    this.#format = format;
    this.#ring = new Int16Array((WINDOW_MS * format.sampleRate) / 1000);
    this.#decoded = new Int16Array((FRAME_MS * format.sampleRate) / 1000);
  }

  /**
   * Copies a frame to its place and returns the sample behind it. What lies before `emitted`, the first sample
   * that was not sent, came too late and is dropped.
   */
  place(frame: Uint8Array, atMs: number, emitted: number): number {
    const { sampleRate } = this.#format;
    const count = sampleCount(frame.length, this.#format);
    let at = Math.round((atMs * sampleRate) / 1000);
    if (this.#end !== undefined && Math.abs(at - this.#end) <= (SEAM_MS * sampleRate) / 1000) at = this.#end;
    this.#end = at + count;
    if (this.#end <= emitted) return this.#end;
    if (this.#decoded.length < count) this.#decoded = new Int16Array(count);
    decodeFrame(frame, this.#format, this.#decoded);
    const ring = this.#ring;
    for (let i = Math.max(0, emitted - at); i < count; i++) ring[(at + i) % ring.length] = this.#decoded[i]!;
    return this.#end;
  }

  /** Takes the sample at a place and leaves silence there, for the time that the place stands for next. */
  take(at: number): number {
    const index = at % this.#ring.length;
    const sample = this.#ring[index]!;
    this.#ring[index] = 0;
    return sample;
  }

  clear(): void {
    this.#ring.fill(0);
    this.#end = undefined;
  }
}
