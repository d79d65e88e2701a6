import { createHash } from 'node:crypto';

/** Digits that the sampling looks at: random in every version of UUID. */
const SAMPLED_DIGITS = 8;

/**
 * Returns the id of a call's trace: the call's own, without dashes. Replicas, retries and workers agree on it without
 * carrying anything from one to another.
 */
export function traceIdOf(callId: string): string {
  return callId.replaceAll('-', '').toLowerCase();
}

/** Derives the id of a span that others name as their parent. */
export function spanIdOf(callId: string, name: string): string {
  return createHash('sha256').update(`${callId}/${name}`).digest('hex').slice(0, 16);
}

/** Returns the id of the span of the whole call. */
export const rootSpanId = (callId: string): string => spanIdOf(callId, 'call');

/** Returns whether a trace is among this share (0 to 1) of all: the same everywhere, so that traces are whole or absent. */
export function isSampled(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-SAMPLED_DIGITS), 16) < share * 16 ** SAMPLED_DIGITS;
}
