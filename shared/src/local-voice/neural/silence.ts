/** Softer than this is silence: about -46 dB below full scale. */
const SILENCE = 0.005;
/** Kept before the first sound, so that it does not begin with a click, in ms. */
const LEAD_MS = 15;

export interface TrimmedSpeech {
  readonly samples: Float32Array;
  /** Where sound begins and ends in the samples, ms. */
  readonly speechFromMs: number;
  readonly speechToMs: number;
}

/**
 * Removes the silence before speech, and leaves `tailMs` of silence behind it (undefined: as it is).
 * @param rate samples a second
 */
export function trimSilence(samples: Float32Array, rate: number, tailMs: number | undefined): TrimmedSpeech {
  const perMs = rate / 1000;
  let first = samples.findIndex((sample) => Math.abs(sample) > SILENCE);
  if (first < 0) first = 0;
  const last = samples.findLastIndex((sample) => Math.abs(sample) > SILENCE);
  const end = last < 0 ? samples.length : last + 1;
  const from = Math.max(0, first - Math.round(LEAD_MS * perMs));
  const to = tailMs === undefined ? samples.length : end + Math.round(tailMs * perMs);
  const trimmed = new Float32Array(to - from);
  trimmed.set(samples.subarray(from, Math.min(to, samples.length)));
  return { samples: trimmed, speechFromMs: (first - from) / perMs, speechToMs: (end - from) / perMs };
}
