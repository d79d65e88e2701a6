import type { CallStatus } from '@voice/shared/contracts/primitives';
import type { ContactStatus } from './campaign-state.js';

/** How often a contact is tried, and how long to wait after each kind of failure. Delays in seconds. */
export interface RetryPolicy {
  readonly max_attempts: number;
  readonly busy_delay_seconds: number;
  readonly no_answer_delay_seconds: number;
  readonly failed_delay_seconds: number;
}

/** How a call can end. */
export type TerminalCall = Exclude<CallStatus, 'QUEUED' | 'RINGING' | 'IN_PROGRESS'>;

/** What a call's end says of its contact. */
export const CONTACT_AFTER = {
  COMPLETED: 'completed',
  VOICEMAIL: 'voicemail',
  BUSY: 'busy',
  NO_ANSWER: 'no_answer',
  FAILED: 'failed',
} as const satisfies Readonly<Record<TerminalCall, ContactStatus>>;

/** How the call of a contact ended, in the words of its contact. */
export type ContactEnd = (typeof CONTACT_AFTER)[TerminalCall];

export type Verdict =
  | { readonly kind: 'final'; readonly status: ContactStatus }
  | { readonly kind: 'retry'; readonly status: ContactStatus; readonly delayMs: number };

/**
 * Returns what becomes of a contact after its call. Busy, no answer and failure are tried again while attempts are
 * left; an answer, by whomever or whatever, is final.
 */
export function afterCall(call: TerminalCall, attempts: number, policy: RetryPolicy): Verdict {
  const status = CONTACT_AFTER[call];
  const delaySeconds =
    call === 'BUSY'
      ? policy.busy_delay_seconds
      : call === 'NO_ANSWER'
        ? policy.no_answer_delay_seconds
        : call === 'FAILED'
          ? policy.failed_delay_seconds
          : null;
  if (delaySeconds === null || attempts >= policy.max_attempts) return { kind: 'final', status };
  return { kind: 'retry', status, delayMs: delaySeconds * 1000 };
}
