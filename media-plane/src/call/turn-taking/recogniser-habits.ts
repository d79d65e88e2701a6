import { type Estimate, observed } from './estimate.js';

/** What a recogniser was measured to do at the end of speech: in this call, and by the worker in calls before it. */
export interface RecogniserHabits {
  /** From the end of the caller's speech to the final text, in ms. */
  readonly finalMs: Estimate;
  /** Share of finals that said something else than the interim before them, 0..1. */
  readonly revised: Estimate;
}

/** Assumed of a recogniser that was not measured: a final that is asked for comes soon, and interims are not to be relied on. */
export const UNKNOWN_RECOGNISER: RecogniserHabits = {
  finalMs: { count: 0, mean: 300, deviation: 50 },
  revised: { count: 0, mean: 0.5, deviation: 0.5 },
};

/** Up to this share of revised finals an interim is worth an answer. */
const RELIABLE_SHARE = 0.15;
/** Deviations from the mean after which a final is late: it may not come at all. */
const LATE_DEVIATIONS = 3;

/** Returns whether finals nearly always say what the last interim said. */
export function hasReliableInterims({ revised }: RecogniserHabits): boolean {
  return revised.mean <= RELIABLE_SHARE;
}

/** Returns the silence after which a final that has not come is late, in ms. */
export function lateFinalMs({ finalMs }: RecogniserHabits): number {
  return finalMs.mean + LATE_DEVIATIONS * finalMs.deviation;
}

/** Returns the silence by which no final has usually come yet, in ms. */
export function earlyFinalMs({ finalMs }: RecogniserHabits): number {
  return Math.max(0, finalMs.mean - finalMs.deviation);
}

/** Returns the habits with one more final measured: how long it took after the end of speech, and whether it revised the interim. */
export function withFinal(
  { finalMs, revised }: RecogniserHabits,
  { afterMs, isRevised }: { readonly afterMs: number; readonly isRevised: boolean },
): RecogniserHabits {
  return { finalMs: observed(finalMs, afterMs), revised: observed(revised, isRevised ? 1 : 0) };
}
