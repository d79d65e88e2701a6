import type Stripe from 'stripe';
import { MICRO_PER_USD } from '../../platform/money/micro-dollars.js';
import type { PaymentNotice } from './port.js';

/** Stripe counts in cents. */
export const MICRO_PER_CENT = MICRO_PER_USD / 100;

/** The id of what Stripe names, or holds in full; null where there is none. */
export function idOf(reference: string | { readonly id: string } | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}

/** What an event means here; `priceId` is that by which usage is billed, where it is known. Pure. */
export function noticeOf(event: Stripe.Event, priceId?: string): PaymentNotice {
  const { id } = event;
  const ignored = { kind: 'ignored', id, type: event.type } as const;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded': {
      const session = event.data.object;
      const customer = idOf(session.customer);
      const setup = idOf(session.setup_intent);
      if (customer === null) return ignored;
      if (session.mode === 'setup' && setup !== null) {
        return { kind: 'method_saved', id, customer, saved: { setup } };
      }
      if (session.mode !== 'payment' || session.payment_status !== 'paid') return ignored;
      if (session.currency !== 'usd' || !session.amount_subtotal) return ignored;
      return {
        kind: 'credit_paid',
        id,
        customer,
        session: session.id,
        amount: session.amount_subtotal * MICRO_PER_CENT,
      };
    }
    // Of one that is added in the portal there is no session.
    case 'payment_method.attached': {
      const { id: method, customer: owner } = event.data.object;
      const customer = idOf(owner);
      return customer === null ? ignored : { kind: 'method_saved', id, customer, saved: { method } };
    }
    case 'customer.subscription.deleted': {
      const { customer: owner, items } = event.data.object;
      const customer = idOf(owner);
      const isOurs = priceId !== undefined && items.data.some(({ price }) => price.id === priceId);
      return customer === null || !isOurs ? ignored : { kind: 'subscription_ended', id, customer };
    }
    case 'payment_method.detached': {
      const before = event.data.previous_attributes;
      const customer = before && 'customer' in before ? idOf(before.customer) : null;
      return customer === null ? ignored : { kind: 'method_removed', id, customer };
    }
    case 'customer.deleted':
      return { kind: 'customer_removed', id, customer: event.data.object.id };
    default:
      return ignored;
  }
}
