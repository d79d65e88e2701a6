import type { CallStatus } from '@voice/shared/contracts/primitives';
import type { CallDocument } from '../calls/record/model.js';
import type { ContactStatus } from './campaign-state.js';

/** How often a contact is tried, and how long to wait after each kind of failure. Delays in seconds. */
export interface RetryPolicy {
  readonly max_attempts: number;
  readonly busy_delay_seconds: number;
  readonly no_answer_delay_seconds: number;
  readonly failed_delay_seconds: number;
}

/** How long a contact leaves its line to others whose call found no worker with room for a minute, in ms. */
export const NO_ROOM_WAIT_MS = 15_000;

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
 * Returns after how long a contact is due again whose call ended before anything was dialed, in ms; null where it may
 * have rung. However often that was: each call waits for a place at the pace of its campaign, as campaigns wait for
 * credit, and a denial is passed by the gate on to the next call, which puts the contact off or skips it. Pure.
 */
export function waitIfNotDialed(call: Pick<CallDocument, 'end_reason' | 'error_code'>): number | null {
  if (call.end_reason === 'no_capacity') return NO_ROOM_WAIT_MS;
  return call.error_code === 'compliance_denied' ? 0 : null;
}

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
