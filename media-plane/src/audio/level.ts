/** Levels of 16-bit audio, in dB relative to full scale: 0 is the loudest, digital silence is `SILENT_DB`. */

const FULL_SCALE = 32_768;
/** Below the smallest step of 16 bits. */
export const SILENT_DB = -100;

/** Returns the mean level (root mean square), dB relative to full scale. A full-scale sine has -3. */
export function levelDb(samples: Int16Array): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += samples[i]! * samples[i]!;
  return sum === 0 ? SILENT_DB : 10 * Math.log10(sum / samples.length / (FULL_SCALE * FULL_SCALE));
}
