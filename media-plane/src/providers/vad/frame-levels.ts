import { FRAME_MS } from '@voice/shared/audio/g711';
import { SILENT_DB } from '../../audio/level.js';

/** Frames whose level is remembered: two seconds. */
const REMEMBERED = 100;
/** Audio whose softest parts show the noise of the line, in ms. */
const NOISE_MS = 1500;

/** Remembers how loud the last frames of 20 ms were, in dB relative to full scale. Frames are counted from 0. */
export class FrameLevels {
  readonly #levels = new Float32Array(REMEMBERED).fill(SILENT_DB);
  #frames = 0;

  /** Takes the level of the next 20 ms, in dB relative to full scale. */
  push(levelDb: number): void {
    this.#levels[this.#frames % REMEMBERED] = levelDb;
    this.#frames++;
  }

  /** Returns the level of a frame; silence where it is not remembered. */
  at(frame: number): number {
    return frame >= 0 && frame >= this.#frames - REMEMBERED && frame < this.#frames
      ? this.#levels[frame % REMEMBERED]!
      : SILENT_DB;
  }

  loudest(from: number, to: number): number {
    let loudest = SILENT_DB;
    for (let frame = Math.floor(from); frame < to; frame++) loudest = Math.max(loudest, this.at(frame));
    return loudest;
  }

  /** Returns the level that nine of ten frames before this one exceed: what is left between the words. */
  noiseBefore(frame: number): number {
    const levels: number[] = [];
    const from = Math.max(0, frame - NOISE_MS / FRAME_MS);
    for (let n = from; n < frame; n++) levels.push(this.at(n));
    levels.sort((a, b) => a - b);
    return levels[Math.floor(levels.length / 10)] ?? SILENT_DB;
  }
}
