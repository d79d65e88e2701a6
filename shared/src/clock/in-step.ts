/**
 * Returns how long it is until the next multiple of a period, in ms: from more than 0 up to the whole period. What many
 * calls do now and again is then due for all of them at once, and wakes the process and its helper threads once.
 */
export function untilNextStep(nowMs: number, periodMs: number): number {
  return periodMs - (nowMs % periodMs);
}
