/** What is usual of something that was measured so often: its mean and how far it strays from that. */
export interface Estimate {
  readonly count: number;
  readonly mean: number;
  /** Mean deviation from the mean. */
  readonly deviation: number;
}

/** Measurements that an estimate remembers: older ones fade. */
const MEMORY = 16;

/** Returns the estimate with one more measurement; what was assumed before the first weighs as much as one. */
export function observed({ count, mean, deviation }: Estimate, value: number): Estimate {
  const weight = 1 / Math.min(count + 2, MEMORY);
  return {
    count: count + 1,
    mean: mean + weight * (value - mean),
    deviation: deviation + weight * (Math.abs(value - mean) - deviation),
  };
}
