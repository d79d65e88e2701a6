import { type Random, randomOf } from '../system/seeded-random.js';
import type { FuzzTarget } from './target.js';

/** So many inputs share one seed, so that a failure is found again without all that came before. */
export const BATCH = 10_000;

export interface Failure {
  /** The batch's own seed: the failure comes again as the first batch of it. */
  readonly seed: number;
  /** Which of the batch's inputs it was, from 0; of inputs that are read side by side the first. */
  readonly at: number;
  readonly error: unknown;
}

/** Has a target read so many inputs of a seed's first batch; returns what went wrong. */
export async function runBatch(
  target: FuzzTarget,
  seed: number,
  inputs: number,
  onInputs: (read: number) => void = () => {},
): Promise<Failure | undefined> {
  target.begin?.();
  const random: Random = randomOf(seed);
  const step = target.inputsARun ?? 1;
  for (let at = 0; at < inputs; at += step) {
    try {
      await target.run(random);
    } catch (error) {
      return { seed, at, error };
    }
    onInputs(at + step);
  }
  return undefined;
}

/**
 * Has a target read a batch without stack traces, which took a third of the time of readers that refuse most of what
 * they are given; what fails is read once more with them.
 */
export async function runBatchFast(...batch: Parameters<typeof runBatch>): Promise<Failure | undefined> {
  const [target, seed] = batch;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const failure = await runBatch(...batch).finally(() => {
    Error.stackTraceLimit = limit;
  });
  if (!failure) return undefined;
  const again = await runBatch(target, seed, failure.at + 1);
  return again ?? failure;
}
