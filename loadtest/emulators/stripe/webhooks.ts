import { createHmac } from 'node:crypto';
import { stripeId } from './account.js';

export interface WebhookEndpoint {
  readonly url: string;
  /** `whsec_…` */
  readonly secret: string;
}

export interface StripeEvent {
  readonly id: string;
  readonly object: 'event';
  readonly type: string;
  readonly created: number;
  readonly data: { readonly object: object; readonly previous_attributes?: object };
}

export function eventOf(type: string, data: StripeEvent['data'], now: number): StripeEvent {
  return { id: stripeId('evt'), object: 'event', type, created: Math.floor(now / 1000), data };
}

/**
 * Signs by HMAC-SHA256 over `<timestamp>.<body>` (https://docs.stripe.com/webhooks#verify-manually); `now` in epoch
 * ms.
 */
export function signatureOf(body: string, secret: string, now: number): string {
  const timestamp = Math.floor(now / 1000);
  const hmac = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return `t=${timestamp},v1=${hmac}`;
}

/** Sends an event as Stripe does; returns the answer's status. */
export async function deliver(endpoint: WebhookEndpoint, event: StripeEvent, now: number): Promise<number> {
  const body = JSON.stringify(event, null, 2);
  const answer = await fetch(endpoint.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signatureOf(body, endpoint.secret, now),
    },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}
