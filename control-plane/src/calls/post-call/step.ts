import type { CallDocument } from '../record/model.js';

/** How a step went: done for good, or to be looked at again, at a time in epoch ms. */
export type StepOutcome =
  /** `set` is written to the call with the mark that the step is done. */
  | { readonly kind: 'done'; readonly set?: Partial<CallDocument> }
  | { readonly kind: 'waiting'; readonly lookAgainAt: number };

export const DONE: StepOutcome = { kind: 'done' };

/**
 * One thing that happens to a call after its end. Steps run one after another in their order, one runner
 * at a time, each until it is done. A step may be run again at any time (a crash, a lease that ran out):
 * what it writes and publishes must be the same the second time.
 */
export interface PostCallStep {
  /** Kept with the call when the step is done; never renamed. */
  readonly name: string;
  /** Whether the call alone shows that there is nothing to do: then the step counts as done without being run. */
  isNothing?(call: CallDocument): boolean;
  run(call: CallDocument, signal: AbortSignal): Promise<StepOutcome>;
  /**
   * When trying has not helped: records the failure, after which the step counts as done. Without it the
   * failure is an entry `<name>.failed` in the call's timeline.
   */
  giveUp?(call: CallDocument, error: unknown): Promise<void>;
}

/** Returns the steps that a call has not done, from the first that has something to do, and those passed before it. Pure. */
export function stepsLeft(
  steps: readonly PostCallStep[],
  call: CallDocument,
): { readonly passed: readonly string[]; readonly steps: readonly PostCallStep[] } {
  const left = steps.filter(({ name }) => !call.post_call_done?.includes(name));
  const first = left.findIndex((step) => !step.isNothing?.(call));
  const at = first < 0 ? left.length : first;
  return { passed: left.slice(0, at).map(({ name }) => name), steps: left.slice(at) };
}
