import type { CallStatus, EndReason } from '@voice/shared/contracts/primitives';

/**
 * The call's state machine as a table: where each status may go in one step
 * (api-decisions: "Resources"). Terminal statuses go nowhere.
 */
export const NEXT_STATUSES: Readonly<Record<CallStatus, readonly CallStatus[]>> = {
  QUEUED: ['RINGING', 'FAILED', 'BUSY', 'NO_ANSWER'],
  RINGING: ['IN_PROGRESS', 'BUSY', 'NO_ANSWER', 'VOICEMAIL', 'FAILED'],
  IN_PROGRESS: ['COMPLETED', 'FAILED', 'VOICEMAIL'],
  COMPLETED: [],
  FAILED: [],
  BUSY: [],
  NO_ANSWER: [],
  VOICEMAIL: [],
};

/** Statuses in which something can still happen to a call. */
export const LIVE_STATUSES = ['QUEUED', 'RINGING', 'IN_PROGRESS'] as const satisfies readonly CallStatus[];
/**
 * Restricts a query to live calls. That such a call has not ended is said as well: the indexes of sweeps are partial by
 * it, so that ended calls, which are nearly all, are in none of them.
 */
export const IS_LIVE = { status: { $in: LIVE_STATUSES as readonly CallStatus[] }, ended_at: null };
export const TERMINAL_STATUSES = [
  'COMPLETED',
  'FAILED',
  'BUSY',
  'NO_ANSWER',
  'VOICEMAIL',
] as const satisfies readonly CallStatus[];

export function isTerminal(status: CallStatus): boolean {
  return NEXT_STATUSES[status].length === 0;
}

/**
 * Returns the statuses to pass through, in order, to come from one to another; null when there is no way. Reports
 * overtake each other (an answer may be heard of before the ringing), so the steps between are made up rather than
 * refused: a listener never sees a call that was answered without having rung.
 */
export function pathTo(from: CallStatus, to: CallStatus): readonly CallStatus[] | null {
  if (from === to || isTerminal(from)) return null;
  const direct = NEXT_STATUSES[from];
  if (direct.includes(to)) return [to];
  // The only chain is QUEUED, RINGING, IN_PROGRESS; whatever is not reached directly lies along it.
  const onward: CallStatus | undefined =
    from === 'QUEUED' ? 'RINGING' : from === 'RINGING' ? 'IN_PROGRESS' : undefined;
  if (!onward) return null;
  const rest = pathTo(onward, to);
  return rest ? [onward, ...rest] : null;
}

const STATUS_OF_END: Readonly<Record<EndReason, CallStatus>> = {
  caller_hangup: 'COMPLETED',
  agent_hangup: 'COMPLETED',
  operator_hangup: 'COMPLETED',
  transferred: 'COMPLETED',
  silence_timeout: 'COMPLETED',
  max_duration: 'COMPLETED',
  voicemail: 'VOICEMAIL',
  busy: 'BUSY',
  no_answer: 'NO_ANSWER',
  rejected: 'FAILED',
  carrier_failed: 'FAILED',
  provider_failed: 'FAILED',
  worker_lost: 'FAILED',
  no_capacity: 'FAILED',
};

/**
 * Returns the terminal status of a call that ended for this reason. Where that status cannot be reached from the
 * current one (a call in progress that is reported "busy"), the call failed.
 */
export function statusOfEnd(reason: EndReason, current: CallStatus): CallStatus {
  const wanted = STATUS_OF_END[reason];
  return pathTo(current, wanted) ? wanted : 'FAILED';
}
