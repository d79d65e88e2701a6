/**
 * Shortest and longest period that is looked for, ms: 400 and 80 Hz. Longer than that, two would not fit into 25 ms.
 */
const SHORTEST_MS = 2.5;
export const LONGEST_MS = 12.5;
/** The search runs on every fourth sample first. */
const COARSE = 4;
/** From this normalised correlation on, two periods fade into each other unheard. */
const SIMILAR = 0.7;
/** Root mean square below which it does not matter what is joined to what: about -50 dB of full scale. */
const QUIET = 100;

/**
 * Finds the period, in samples, by which the start of `samples` (25 ms at least) can be shortened or lengthened without
 * being heard; null where speech does not repeat itself. Silence has the longest period.
 */
export function pitchPeriod(samples: Int16Array, sampleRate: number): number | null {
  const shortest = (SHORTEST_MS * sampleRate) / 1000;
  const longest = (LONGEST_MS * sampleRate) / 1000;
  if (samples.length < 2 * longest) return null;
  if (isQuiet(samples, 2 * longest)) return longest;
  let best = similarity(samples, shortest, COARSE);
  let period = shortest;
  for (let lag = shortest + COARSE; lag <= longest; lag += COARSE) {
    const value = similarity(samples, lag, COARSE);
    if (value > best) {
      best = value;
      period = lag;
    }
  }
  if (best < SIMILAR / 2) return null;
  const coarse = period;
  best = similarity(samples, coarse, 1);
  for (let lag = Math.max(shortest, coarse - 3); lag <= Math.min(longest, coarse + 3); lag++) {
    const value = lag === coarse ? best : similarity(samples, lag, 1);
    if (value > best) {
      best = value;
      period = lag;
    }
  }
  return best >= SIMILAR ? period : null;
}

function isQuiet(samples: Int16Array, length = samples.length): boolean {
  let energy = 0;
  for (let n = 0; n < length; n++) energy += samples[n]! * samples[n]!;
  return energy < QUIET * QUIET * length;
}

/** Computes the normalised correlation of the first `lag` samples with the `lag` samples after them. */
function similarity(samples: Int16Array, lag: number, step: number): number {
  let product = 0;
  let first = 0;
  let second = 0;
  for (let n = 0; n < lag; n += step) {
    const a = samples[n]!;
    const b = samples[n + lag]!;
    product += a * b;
    first += a * a;
    second += b * b;
  }
  return product / Math.sqrt(first * second + 1);
}
