import { FRAME_MS } from '@voice/shared/audio/g711';
import { SILENT_DB } from '../../audio/level.js';

/** Frames whose level is remembered: two seconds. */
const REMEMBERED = 100;
/** How far the model may be late, in ms; an earlier end is not believed. */
const LONGEST_DELAY_MS = 300;
/** Speech whose level shows how loud the speaker is, in ms before the end. */
const SPEECH_MS = 1000;
/** Audio whose softest parts show the noise of the line, in ms before the end. */
const NOISE_MS = 1500;
/** What is this far below the speaker's loudest frame is no longer speech, in dB. */
const FADE_DB = 30;
/** What is not this far above the noise of the line is noise, in dB. */
const ABOVE_NOISE_DB = 6;

/**
 * Finds the end of speech to the frame. The neural network's probability falls only 50 to 250 ms after the voice has
 * ended, the later the noisier the line. The levels of the frames give the end to the frame, so that silence is counted
 * from the caller's last sound and not from when it was believed.
 */
export class SpeechEnd {
  readonly #levels = new Float32Array(REMEMBERED).fill(SILENT_DB);
  #frames = 0;

  /** Takes the level of the next 20 ms, in dB relative to full scale. */
  push(levelDb: number): void {
    this.#levels[this.#frames % REMEMBERED] = levelDb;
    this.#frames++;
  }

  /**
   * Returns when speech ended, in ms, not later than `believedMs`.
   * @param startedMs when it began @param believedMs when the model thinks that it ended
   * @param untilMs the end of what the model took for silence; what came since does not count
   */
  refine(startedMs: number, believedMs: number, untilMs: number): number {
    const believed = Math.floor(believedMs / FRAME_MS);
    const earliest = Math.max(startedMs, believedMs - LONGEST_DELAY_MS) / FRAME_MS;
    const loudest = this.#loudest(believed - SPEECH_MS / FRAME_MS, believed);
    const noise = this.#noise(Math.floor(untilMs / FRAME_MS));
    const threshold = Math.max(loudest - FADE_DB, noise + ABOVE_NOISE_DB);
    for (let frame = believed; frame > earliest; frame--) {
      if (this.#level(frame - 1) >= threshold) return Math.min(believedMs, frame * FRAME_MS);
    }
    return believedMs;
  }

  #level(frame: number): number {
    return frame >= 0 && frame >= this.#frames - REMEMBERED && frame < this.#frames
      ? this.#levels[frame % REMEMBERED]!
      : SILENT_DB;
  }

  #loudest(from: number, to: number): number {
    let loudest = SILENT_DB;
    for (let frame = Math.floor(from); frame < to; frame++) loudest = Math.max(loudest, this.#level(frame));
    return loudest;
  }

  /** Returns the level that nine of ten frames exceed: what is left between the words. */
  #noise(until: number): number {
    const levels: number[] = [];
    const from = Math.max(0, until - NOISE_MS / FRAME_MS);
    for (let frame = from; frame < until; frame++) levels.push(this.#level(frame));
    levels.sort((a, b) => a - b);
    return levels[Math.floor(levels.length / 10)] ?? SILENT_DB;
  }
}
