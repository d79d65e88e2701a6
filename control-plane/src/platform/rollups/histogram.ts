import type { Sums } from './model.js';

/** Values keep so many leading bits: a bin is at most a 128th of its values wide. */
const KEPT_BITS = 8;

/** Returns the bin of a value that is not negative: its lower bound, less than 0.8 % below it. Pure. */
export function binOf(value: number): number {
  const whole = Math.max(0, Math.floor(value));
  const width = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, whole))) + 1 - KEPT_BITS);
  return Math.floor(whole / width) * width;
}

/**
 * Returns the smallest bin that at least `share` of the values do not exceed (nearest rank), of sums that have the
 * number of values of each bin under `prefix` and the bin; null of none. Histograms are merged by adding up. Pure.
 */
export function percentileOf(sums: Sums, prefix: string, share: number): number | null {
  const bins = Object.entries(sums)
    .filter(([name, count]) => name.startsWith(prefix) && count > 0)
    .map(([name, count]) => ({ bin: Number(name.slice(prefix.length)), count }))
    .sort((a, b) => a.bin - b.bin);
  const wanted = Math.max(1, Math.ceil(share * bins.reduce((sum, { count }) => sum + count, 0)));
  let seen = 0;
  for (const { bin, count } of bins) {
    seen += count;
    if (seen >= wanted) return bin;
  }
  return null;
}
