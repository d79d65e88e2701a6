import { z } from 'zod';

/** Which rule of turn-taking a decision is of. */
export const DECISION_RULES = [
  'opening',
  'end_of_turn',
  'preemptive_answer',
  'answer_dropped',
  'answer_heard',
  'barge_in_pause',
  'interruption',
  'false_interruption',
  'backchannel',
  'filler',
  'silence',
  'tool',
  'handoff',
  'machine',
  'failure',
  'ending',
  'note',
] as const;
export type DecisionRule = (typeof DECISION_RULES)[number];

/** One decision of a call in plain words. */
export const explainedDecision = z.object({
  /** 1 for the first event of the call. */
  step: z.number().int().min(1),
  /** ms since the media stream began. */
  at_ms: z.number().nonnegative(),
  rule: z.enum(DECISION_RULES),
  known: z.string(),
  outcome: z.string(),
  /** What today's rules do instead; null where they do the same. */
  today: z.string().nullable(),
});
export type ExplainedDecision = z.infer<typeof explainedDecision>;

/** A call's decisions in plain words, run through today's rules as well. */
export const explainedCall = z.object({
  decisions: z.array(explainedDecision),
  /** Whether there are more decisions than are listed. */
  truncated: z.boolean(),
  /** All decisions of the call, also those that led to nothing but timers. */
  steps: z.number().int().nonnegative(),
  /** Of those, how many today's rules take differently, timers counted. */
  different: z.number().int().nonnegative(),
});
export type ExplainedCall = z.infer<typeof explainedCall>;

/** Decisions of one call that are listed, in their order: those of hours. */
export const MOST_EXPLAINED = 2000;
/** The longest decision log that is explained, in bytes. */
export const MOST_LOG_BYTES = 32 * 1024 * 1024;
