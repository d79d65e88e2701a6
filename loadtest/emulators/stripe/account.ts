import { randomBytes } from 'node:crypto';
import { noSuch } from './errors.js';

export interface Customer {
  readonly id: string;
  readonly object: 'customer';
  readonly metadata: Readonly<Record<string, string>>;
  readonly invoice_settings: { default_payment_method: string | null };
}

export interface PaymentMethod {
  readonly id: string;
  readonly object: 'payment_method';
  readonly type: 'card';
  customer: string | null;
}

export interface SetupIntent {
  readonly id: string;
  readonly object: 'setup_intent';
  readonly customer: string;
  payment_method: string | null;
  status: 'requires_payment_method' | 'succeeded';
}

export interface CheckoutSession {
  readonly id: string;
  readonly object: 'checkout.session';
  readonly mode: 'setup' | 'payment';
  readonly customer: string;
  readonly client_reference_id: string | null;
  readonly currency: string;
  readonly amount_subtotal: number | null;
  readonly amount_total: number | null;
  readonly setup_intent: string | null;
  readonly success_url: string;
  readonly cancel_url: string | null;
  readonly url: string;
  payment_status: 'no_payment_required' | 'paid' | 'unpaid';
  status: 'open' | 'complete';
}

export interface PortalSession {
  readonly id: string;
  readonly object: 'billing_portal.session';
  readonly customer: string;
  readonly return_url: string | null;
  readonly url: string;
}

export interface MeterEvent {
  readonly object: 'billing.meter_event';
  readonly event_name: string;
  readonly identifier: string;
  readonly payload: Readonly<Record<string, string>>;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly created: number;
  readonly livemode: false;
}

export interface Subscription {
  readonly id: string;
  readonly object: 'subscription';
  readonly customer: string;
  status: 'active' | 'canceled';
  readonly price: string;
}

/** What a Stripe account holds. */
export class StripeAccount {
  readonly customers = new Map<string, Customer>();
  readonly paymentMethods = new Map<string, PaymentMethod>();
  readonly setupIntents = new Map<string, SetupIntent>();
  readonly sessions = new Map<string, CheckoutSession>();
  readonly portalSessions = new Map<string, PortalSession>();
  readonly subscriptions: Subscription[] = [];
  readonly meterEvents: MeterEvent[] = [];

  /** Saves a card for the customer. */
  attachMethod(customer: string): PaymentMethod {
    const method: PaymentMethod = { id: stripeId('pm'), object: 'payment_method', type: 'card', customer };
    this.paymentMethods.set(method.id, method);
    return method;
  }

  /** Removes a card from its customer, and as the default of invoices where it is that; returns whose it was. */
  detachMethod(id: string): string {
    const method = this.paymentMethods.get(id);
    const customer = method?.customer ?? null;
    if (!method || customer === null) throw noSuch('PaymentMethod', id, 'payment_method', 404);
    method.customer = null;
    const settings = this.customers.get(customer)?.invoice_settings;
    if (settings?.default_payment_method === id) settings.default_payment_method = null;
    return customer;
  }

  /** In the order in which they were saved. */
  methodsOf(customer: string): PaymentMethod[] {
    return [...this.paymentMethods.values()].filter((method) => method.customer === customer);
  }

  /** Sums up a customer's usage. */
  metered(customer: string): number {
    return this.meterEvents
      .filter(({ payload }) => payload.stripe_customer_id === customer)
      .reduce((sum, { payload }) => sum + Number(payload.value), 0);
  }
}

export function stripeId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}
