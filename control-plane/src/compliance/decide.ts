import { CHECK_NAMES, type CheckName, type CheckResult } from './model.js';

/** What the gate knows of a call that somebody wants to make. */
export interface GateFacts {
  /** The words by which the agent says that it is an AI; null when only a number is checked. */
  readonly disclosure: string | null;
  /** Whether a particular agent's call is judged, not a number alone. */
  readonly hasAgent: boolean;
  /** Calls of the tenant that are queued, ringing or in progress. */
  readonly liveCalls: number;
  readonly maxConcurrentCalls: number;
}

export interface GateDecision {
  readonly decision: 'allowed' | 'denied';
  readonly reasons: string[];
  readonly checks: Record<CheckName, CheckResult>;
}

const NOT_EVALUATED: CheckResult = { outcome: 'not_evaluated', reason: null };
const PASSED: CheckResult = { outcome: 'passed', reason: null };
const failed = (reason: string): CheckResult => ({ outcome: 'failed', reason });

/**
 * The whole gate as a pure function: every check looks at the facts, and one that fails denies.
 * The do-not-call registry, calling hours and recording consent have no facts to look at yet and say so.
 */
export function decide(facts: GateFacts): GateDecision {
  const checks: Record<CheckName, CheckResult> = {
    dnc: NOT_EVALUATED,
    calling_hours: NOT_EVALUATED,
    recording_consent: NOT_EVALUATED,
    capacity: facts.liveCalls < facts.maxConcurrentCalls ? PASSED : failed('concurrent_calls_limit'),
    disclosure: !facts.hasAgent
      ? NOT_EVALUATED
      : facts.disclosure?.trim()
        ? PASSED
        : failed('disclosure_missing'),
  };
  const reasons = CHECK_NAMES.flatMap((name) => checks[name].reason ?? []);
  return { decision: reasons.length === 0 ? 'allowed' : 'denied', reasons, checks };
}
