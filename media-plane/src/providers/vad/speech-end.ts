import { FRAME_MS } from '@voice/shared/audio/g711';
import type { FrameLevels } from './frame-levels.js';

/** How far the model may be late, in ms; an earlier end is not believed. */
const LONGEST_DELAY_MS = 300;
/** Speech whose level shows how loud the speaker is, in ms before the end. */
const SPEECH_MS = 1000;
/** What is this far below the speaker's loudest frame is no longer speech, in dB. */
const FADE_DB = 30;
/** What is not this far above the noise of the line is noise, in dB. */
const ABOVE_NOISE_DB = 6;

/**
 * Finds the end of speech to the frame, in ms, not later than `believedMs`. The neural network's probability falls only
 * 50 to 250 ms after the voice has ended, the later the noisier the line. The levels of the frames give the end to the
 * frame, so that silence is counted from the caller's last sound and not from when it was believed.
 * @param startedMs when it began @param believedMs when the model thinks that it ended
 * @param untilMs the end of what the model took for silence; what came since does not count
 */
export function endOfSpeech(
  levels: FrameLevels,
  startedMs: number,
  believedMs: number,
  untilMs: number,
): number {
  const believed = Math.floor(believedMs / FRAME_MS);
  const earliest = Math.max(startedMs, believedMs - LONGEST_DELAY_MS) / FRAME_MS;
  const loudest = levels.loudest(believed - SPEECH_MS / FRAME_MS, believed);
  const noise = levels.noiseBefore(Math.floor(untilMs / FRAME_MS));
  const threshold = Math.max(loudest - FADE_DB, noise + ABOVE_NOISE_DB);
  for (let frame = believed; frame > earliest; frame--) {
    if (levels.at(frame - 1) >= threshold) return Math.min(believedMs, frame * FRAME_MS);
  }
  return believedMs;
}
