/** How long one answer may take, in ms since it was asked for. */
export interface AnswerLimits {
  /** To a model's first output: past it another is asked beside it, and the first that speaks is heard. */
  readonly firstTokenMs: number;
  /** To the first output of any: past it the answer is given up. */
  readonly turnMs: number;
}

export type ModelRole = 'first' | 'fallback';

/** Why a model failed before it said anything. */
export interface AskFailure {
  readonly at: number;
  readonly retryable: boolean;
  readonly isRateLimited: boolean;
  /** What the provider asked for. */
  readonly retryAfterMs: number | undefined;
}

/** A model that was asked for this answer; without a failure it has not said anything yet. Times are monotonic, ms. */
export interface Ask {
  readonly role: ModelRole;
  readonly at: number;
  readonly failure?: AskFailure;
}

export interface AnswerSituation {
  readonly limits: AnswerLimits;
  readonly hasFallback: boolean;
  /** Who is asked first: the fallback while the first is known not to work. */
  readonly preferred: ModelRole;
  /** When the answer was asked for. */
  readonly since: number;
  /** In their order. */
  readonly asks: readonly Ask[];
}

export type AnswerStep =
  | { readonly type: 'ask'; readonly role: ModelRole }
  | { readonly type: 'wait'; readonly until: number }
  /** Nobody has spoken in time, or nobody is left to ask. */
  | { readonly type: 'give_up'; readonly reason: 'late' | 'failed' };

/** Models that are asked for one answer at most, whatever fails. */
const MAX_ASKS = 2;
/** Wait after a refusal for too many requests that names no time, in ms. */
const RATE_LIMITED_MS = 500;

/**
 * Decides what is done next for an answer of which nothing has been said. Pure.
 *
 * A failure is followed by another model at once, or by the same one where there is no other and it may help. A model
 * that is late is not stopped: it may be slow, or its connection may have died unseen, and nothing tells which. Another
 * is asked beside it.
 */
export function nextStep(situation: AnswerSituation, now: number): AnswerStep {
  const { limits, since, asks } = situation;
  const deadline = since + limits.turnMs;
  const running = asks.filter((ask) => !ask.failure);
  if (now >= deadline) return { type: 'give_up', reason: running.length > 0 ? 'late' : 'failed' };
  const last = asks.at(-1);
  if (!last) return { type: 'ask', role: situation.preferred };
  const next = nextRole(situation);
  const newest = running.at(-1);
  if (newest) {
    if (!next) return { type: 'wait', until: deadline };
    const due = newest.at + limits.firstTokenMs;
    return now >= due ? { type: 'ask', role: next } : { type: 'wait', until: Math.min(due, deadline) };
  }
  if (!next || !last.failure) return { type: 'give_up', reason: 'failed' };
  const due = last.failure.at + (next === last.role ? waitBeforeRetry(last.failure) : 0);
  if (due >= deadline) return { type: 'give_up', reason: 'failed' };
  return now >= due ? { type: 'ask', role: next } : { type: 'wait', until: due };
}

/** Returns who is asked after those that were; undefined when nobody is left. */
function nextRole({ hasFallback, asks }: AnswerSituation): ModelRole | undefined {
  if (asks.length >= MAX_ASKS) return undefined;
  if (hasFallback) return asks[0]?.role === 'first' ? 'fallback' : 'first';
  return asks[0]?.failure?.retryable === false ? undefined : 'first';
}

function waitBeforeRetry({ isRateLimited, retryAfterMs }: AskFailure): number {
  return retryAfterMs ?? (isRateLimited ? RATE_LIMITED_MS : 0);
}
