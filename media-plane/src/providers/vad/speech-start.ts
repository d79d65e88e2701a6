import { FRAME_MS } from '@voice/shared/audio/g711';
import type { FrameLevels } from './frame-levels.js';

/** How far the model may be late, in ms; an earlier beginning is not believed. */
const LONGEST_DELAY_MS = 200;
/** A silence within the first word, in ms: between its first sound and its vowel. */
const LONGEST_GAP_MS = 40;
/** The softest that a listener notices on a phone, dB relative to full scale. */
const AUDIBLE_DB = -55;
/** Speech stands out of the noise of the line by this, in dB. */
const ABOVE_NOISE_DB = 14;

/**
 * Finds the beginning of speech to the frame, in ms, not later than `believedMs`. The neural network believes in speech
 * one to three windows late, the later the softer it begins. From where it does, the way goes back to where the level
 * rose, so that a barge-in counts from the caller's first sound; where speech does not stand out of the noise, the
 * model's word stands.
 * @param believedMs where the first window begins that the model took for speech
 * @param afterMs when speech ended before, which is not of this one
 */
export function startOfSpeech(levels: FrameLevels, believedMs: number, afterMs: number): number {
  const believed = Math.floor(believedMs / FRAME_MS);
  const earliest = Math.max(0, afterMs, believedMs - LONGEST_DELAY_MS) / FRAME_MS;
  const threshold = Math.max(AUDIBLE_DB, levels.noiseBefore(believed) + ABOVE_NOISE_DB);
  let start = believedMs;
  let silentMs = 0;
  for (let frame = believed; frame >= earliest && silentMs <= LONGEST_GAP_MS; frame--) {
    if (levels.at(frame) < threshold) {
      silentMs += FRAME_MS;
    } else {
      silentMs = 0;
      start = Math.min(start, frame * FRAME_MS);
    }
  }
  return start;
}
