import { z } from 'zod';

/** Any well-formed UUID, whatever its version; in lower case, as ids are stored. */
export const uuid = z.guid('must be a UUID').toLowerCase();
/** E.164: a plus sign, then 2 to 15 digits, the first not zero (ITU-T E.164). */
export const e164 = z.string().regex(/^\+[1-9]\d{1,14}$/, 'must be an E.164 number such as +15005550006');
/** Milliseconds, not negative. */
export const ms = z.number().nonnegative();

export const CALL_STATUSES = [
  'QUEUED',
  'RINGING',
  'IN_PROGRESS',
  'COMPLETED',
  'FAILED',
  'BUSY',
  'NO_ANSWER',
  'VOICEMAIL',
] as const;
export const callStatus = z.enum(CALL_STATUSES).meta({ title: 'CallStatus' });
export type CallStatus = z.infer<typeof callStatus>;

export const CALL_DIRECTIONS = ['inbound', 'outbound'] as const;
export const callDirection = z.enum(CALL_DIRECTIONS).meta({ title: 'CallDirection' });
export type CallDirection = z.infer<typeof callDirection>;

export const END_REASONS = [
  'caller_hangup',
  'agent_hangup',
  'operator_hangup',
  'transferred',
  'silence_timeout',
  'max_duration',
  'voicemail',
  'busy',
  'no_answer',
  'rejected',
  'carrier_failed',
  'provider_failed',
  'worker_lost',
  'no_capacity',
] as const;
export const endReason = z.enum(END_REASONS).meta({ title: 'EndReason' });
export type EndReason = z.infer<typeof endReason>;
