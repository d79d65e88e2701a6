import type { CallingHours } from '../agents/calling-hours.js';
import { type CallingWindow, callingWindow, hasHours } from './calling-window.js';
import { namesAnAi } from './disclosure.js';
import { CHECK_NAMES, type CheckName, type CheckResult } from './model.js';
import type { NumberRegion } from './number-region.js';
import { type RecordingDirective, recordingDirective, requiresTwoPartyConsent } from './recording-consent.js';

/** What the gate must know of the agent that would speak. */
export interface GateAgent {
  readonly id: string;
  /** The words by which it says first that it is an AI, variables rendered; null without any. */
  readonly disclosure: string | null;
  /** BCP 47. */
  readonly language: string;
  readonly callingHours: CallingHours;
  readonly recording: { readonly enabled: boolean; readonly announce: boolean };
}

/** Everything that a decision is made from; stored with it. */
export interface GateInputs {
  /** Epoch ms. */
  readonly now: number;
  readonly callee: NumberRegion;
  readonly caller: NumberRegion | null;
  /** Which do-not-call lists the number is on. */
  readonly listedBy: readonly ('tenant' | 'operator')[];
  /** The agent's, or the default ones where only a number is judged. */
  readonly callingHours: CallingHours;
  readonly agent: GateAgent | null;
  /** Calls of the tenant that are queued, ringing or in progress. */
  readonly liveCalls: number;
  readonly maxConcurrentCalls: number;
}

export interface GateDecision {
  readonly decision: 'allowed' | 'denied';
  readonly reasons: string[];
  readonly checks: Record<CheckName, CheckResult>;
  readonly requiresTwoPartyConsent: boolean;
  /** What the call's recording must be; null without an agent. */
  readonly recording: RecordingDirective | null;
  /** Epoch ms; null where hours are open, or never open. */
  readonly nextOpenAt: number | null;
}

const NOT_EVALUATED: CheckResult = { outcome: 'not_evaluated', reason: null };
const PASSED: CheckResult = { outcome: 'passed', reason: null };
const failed = (reason: string): CheckResult => ({ outcome: 'failed', reason });

/**
 * Returns when a number may be called. A carrier test number rings nobody and lies in no zone: its hours are open at
 * all times, unless the agent names the zone in which they are judged, or calls on no day. `now` is epoch ms.
 */
export function windowOf(hours: CallingHours, callee: NumberRegion, now: number): CallingWindow {
  if (callee.isTest && hours.timezone === null && hasHours(hours))
    return { open: true, nextOpenAt: null, judgedIn: [] };
  return callingWindow(hours, callee.zones, now);
}

/** What is to be done about it differs: wait, give the agent hours, or leave this number alone. */
export function hoursCheck({ open, nextOpenAt }: CallingWindow, hours: CallingHours): CheckResult {
  if (open) return PASSED;
  if (nextOpenAt !== null) return failed('outside_calling_hours');
  return failed(hasHours(hours) ? 'region_unknown' : 'no_calling_hours');
}

function disclosureCheck(agent: GateAgent | null): CheckResult {
  if (!agent) return NOT_EVALUATED;
  if (!agent.disclosure?.trim()) return failed('disclosure_missing');
  return namesAnAi(agent.disclosure, agent.language) ? PASSED : failed('disclosure_names_no_ai');
}

/** Decides the whole gate as a pure function: every check looks at the inputs, and one that fails denies. */
export function decide(inputs: GateInputs): GateDecision {
  const { agent, callee, caller, listedBy, liveCalls, maxConcurrentCalls } = inputs;
  const window = windowOf(inputs.callingHours, callee, inputs.now);
  const consent = requiresTwoPartyConsent(callee, caller);
  const checks: Record<CheckName, CheckResult> = {
    dnc: listedBy.length === 0 ? PASSED : failed('do_not_call'),
    calling_hours: hoursCheck(window, inputs.callingHours),
    // Never a refusal: what the law asks for is done (`recording`).
    recording_consent: agent ? PASSED : NOT_EVALUATED,
    capacity: liveCalls < maxConcurrentCalls ? PASSED : failed('concurrent_calls_limit'),
    disclosure: disclosureCheck(agent),
  };
  const reasons = CHECK_NAMES.flatMap((name) => checks[name].reason ?? []);
  return {
    decision: reasons.length === 0 ? 'allowed' : 'denied',
    reasons,
    checks,
    requiresTwoPartyConsent: consent,
    recording: agent && recordingDirective(agent.recording, consent),
    nextOpenAt: window.nextOpenAt,
  };
}
