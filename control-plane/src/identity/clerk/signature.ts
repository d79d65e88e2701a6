import { Webhook, WebhookVerificationError } from 'svix';
import { apiError } from '../../platform/http/error-codes.js';
import { ValidationError } from '../../platform/http/validation.js';

/** As Svix names them. */
export const SIGNATURE_HEADERS = {
  'svix-id': "The message's id; the same for every attempt to deliver it.",
  'svix-timestamp': 'When it was sent, in Unix seconds; not more than 5 minutes ago.',
  'svix-signature': 'HMACs over id, timestamp and body, separated by spaces.',
} as const;
const NAMES = Object.keys(SIGNATURE_HEADERS);

/**
 * Verifies a message of Clerk: HMAC over id, timestamp and raw body, not older than 5 minutes
 * (https://docs.svix.com/receiving/verifying-payloads/how-manual). Throws 422 when a header is missing and
 * 401 `invalid_signature` when they do not fit, or nothing is configured to verify them by.
 */
export function verifyClerk(
  secret: string | undefined,
  rawBody: Buffer,
  header: (name: string) => string | undefined,
): void {
  const missing = NAMES.filter((name) => !header(name));
  if (missing.length > 0) {
    throw new ValidationError(
      missing.map((name) => ({ loc: ['header', name], msg: 'Field required', type: 'missing' })),
    );
  }
  if (secret === undefined) {
    throw apiError('invalid_signature', 'This installation takes no events of an identity provider.');
  }
  const headers = Object.fromEntries(NAMES.map((name) => [name, header(name) ?? '']));
  try {
    new Webhook(secret).verify(rawBody, headers);
  } catch (cause) {
    if (!(cause instanceof WebhookVerificationError)) throw cause;
    throw apiError('invalid_signature', undefined, { cause });
  }
}
