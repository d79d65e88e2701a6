import { createHmac, timingSafeEqual } from 'node:crypto';
import { SignatureError } from './errors.js';
import type { WebhookEvent } from './generated/types.js';

const TOLERANCE_SECONDS = 300;

export interface SignedDelivery {
  /** The body as it came, before anything parses it. */
  readonly body: string | Uint8Array;
  /** The header `X-Service-Signature`. */
  readonly signature: string | null | undefined;
  /** The subscription's secret, `whsec_` included. Without one everything is refused. */
  readonly secret: string | undefined;
  /** How old or new the signature may be (s). By default 300. */
  readonly toleranceSeconds?: number;
  /** Unix time in ms, for tests. */
  readonly now?: number;
}

/**
 * Returns the event of a delivery that was signed with the secret, lately. Throws a `SignatureError` for any other:
 * answer it with 400 and do nothing else. Deliveries come at least once: drop an `event_id` that you have seen.
 */
export function verifyWebhook(delivery: SignedDelivery): WebhookEvent {
  // Anybody can sign with nothing.
  if (!delivery.secret) throw new SignatureError('There is no secret to verify the signature with.');
  const [, time, given] = /^t=(\d{1,15}),v1=([0-9a-f]{64})$/.exec(delivery.signature ?? '') ?? [];
  if (time === undefined || given === undefined) {
    throw new SignatureError('X-Service-Signature is missing or not of the form t=…,v1=….');
  }
  const expected = createHmac('sha256', delivery.secret).update(`${time}.`).update(delivery.body).digest();
  if (!timingSafeEqual(expected, Buffer.from(given, 'hex'))) {
    throw new SignatureError('The signature is not that of this body under this secret.');
  }
  const age = Math.abs((delivery.now ?? Date.now()) / 1000 - Number(time));
  if (age > (delivery.toleranceSeconds ?? TOLERANCE_SECONDS)) {
    throw new SignatureError(
      `The signature is ${Math.round(age)} s old: it may be a repetition of an old delivery.`,
    );
  }
  const text =
    typeof delivery.body === 'string' ? delivery.body : Buffer.from(delivery.body).toString('utf8');
  return JSON.parse(text) as WebhookEvent;
}
