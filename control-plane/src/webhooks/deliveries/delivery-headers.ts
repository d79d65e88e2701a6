import { signatureHeader } from '../subscriptions/signature.js';

interface SignedBody {
  /** Of the three headers, such as `X-Service-`. */
  readonly headerPrefix: string;
  readonly secret: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly body: string;
  /** Epoch ms. */
  readonly now: number;
}

/** Returns the headers of a delivery, its signature included. */
export function deliveryHeaders({ headerPrefix, secret, eventId, eventType, body, now }: SignedBody) {
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'User-Agent': 'webhooks/1.0',
    [`${headerPrefix}Event`]: eventType,
    [`${headerPrefix}Event-Id`]: eventId,
    [`${headerPrefix}Signature`]: signatureHeader(secret, body, now),
  };
}
