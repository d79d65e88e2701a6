import { CarrierFailure, type CarrierFailureKind } from '../port.js';

/** Errors of a socket that was never connected: the request cannot have reached the carrier. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Twilio's error codes for a number that it will not ring (twilio.com/docs/api/errors): invalid "To",
 * no permission for the region, unverified or blocked numbers.
 */
const REJECTED_NUMBER = new Set([
  13223, 13224, 13225, 13226, 13227, 21211, 21214, 21215, 21216, 21217, 21219,
  // A number that cannot be bought: not available, not found, of the wrong form.
  21404, 21421, 21422,
]);

function field(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;
}

function kindOf(status: unknown, code: unknown): CarrierFailureKind {
  if (typeof status === 'number') {
    if (typeof code === 'number' && REJECTED_NUMBER.has(code)) return 'rejected';
    if (status === 429 || status === 503) return 'not_dialed';
    return status >= 500 ? 'unknown' : 'failed';
  }
  return typeof code === 'string' && NEVER_CONNECTED.has(code) ? 'not_dialed' : 'unknown';
}

/** Returns what an error of the SDK means for the call: a REST error has a status, a network error a code alone. */
export function twilioFailure(error: unknown): CarrierFailure {
  if (error instanceof CarrierFailure) return error;
  const status = field(error, 'status');
  const code = field(error, 'code');
  const kind = kindOf(status, code);
  const name =
    typeof code === 'number'
      ? `twilio_${code}`
      : typeof status === 'number'
        ? `http_${status}`
        : 'carrier_unreachable';
  const text = {
    rejected: 'The carrier cannot complete calls to this number.',
    not_dialed: 'The carrier could not be reached.',
    failed: 'The carrier refused the call.',
    unknown: 'The carrier did not say whether it dials.',
  }[kind];
  return new CarrierFailure(kind, name, text, error);
}

export function isNotFound(error: unknown): boolean {
  return field(error, 'status') === 404;
}

/** "Call is not in-progress": it has ended already (Twilio's error 21220). */
export function hasAlreadyEnded(error: unknown): boolean {
  return field(error, 'code') === 21220;
}
