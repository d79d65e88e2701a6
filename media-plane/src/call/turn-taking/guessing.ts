import type { Estimate } from './estimate.js';
import { FULL_CREDIT } from './guess-credit.js';
import { type RecogniserHabits, UNKNOWN_RECOGNISER } from './recogniser-habits.js';

/** What decides when a speculative answer is begun, beside the words. */
export interface Guessing {
  /** What this call knows of its recogniser. */
  readonly recogniser: RecogniserHabits;
  /** How long an answer takes to what of it may be made before the caller's turn is over, in ms. */
  readonly answerMs: Estimate;
  /** What dropped guesses may still cost (`guess-credit.ts`). */
  readonly credit: number;
}

/** Assumed before the first answer, in ms: the first guess is rather begun too early than too late. */
const UNKNOWN_ANSWER_MS: Estimate = { count: 0, mean: 600, deviation: 100 };
/** Spare time by which an answer is begun before it is needed, in ms, beside its usual deviations. */
const SPARE_MS = 50;
const DEVIATIONS = 2;

export function initialGuessing(recogniser: RecogniserHabits = UNKNOWN_RECOGNISER): Guessing {
  return { recogniser, answerMs: UNKNOWN_ANSWER_MS, credit: FULL_CREDIT };
}

/** Returns how long before it is needed an answer has to be begun, in ms. */
export function leadMs({ answerMs }: Guessing): number {
  return answerMs.mean + DEVIATIONS * answerMs.deviation + SPARE_MS;
}
