import { type MeterEvent, stripeId } from './account.js';
import { checkLimit, type Endpoint, listOf, requireCustomer, wholeNumber } from './endpoint.js';
import { invalid, missing, noSuch, StripeRefusal } from './errors.js';
import { textAt } from './form.js';

/** A meter takes usage of the last 35 days and up to 5 minutes ahead, in seconds. */
const OLDEST_S = 35 * 24 * 60 * 60;
const AHEAD_S = 5 * 60;
/** For how long an identifier is taken, in seconds. */
const IDENTIFIER_S = 24 * 60 * 60;

export const createMeterEvent: Endpoint = {
  method: 'POST',
  path: /^\/v1\/billing\/meter_events$/,
  params: ['event_name', 'identifier', 'timestamp', 'payload[*]'],
  required: ['event_name', 'payload'],
  run({ form }, { account, meters, now }) {
    const name = textAt(form, 'event_name') ?? '';
    if (!meters.includes(name)) {
      throw new StripeRefusal(400, `No active meter found for event name ${name}.`, { param: 'event_name' });
    }
    const customer = textAt(form, 'payload', 'stripe_customer_id');
    const value = textAt(form, 'payload', 'value');
    if (customer === undefined) throw missing('payload[stripe_customer_id]');
    if (value === undefined) throw missing('payload[value]');
    if (!account.customers.has(customer)) {
      throw noSuch('customer', customer, 'payload[stripe_customer_id]');
    }
    if (!/^-?\d{1,15}(\.\d{1,12})?$/.test(value)) throw invalid('payload[value]', `Invalid value: ${value}`);
    const created = Math.floor(now() / 1000);
    const timestamp =
      textAt(form, 'timestamp') === undefined ? created : wholeNumber(textAt(form, 'timestamp'), 'timestamp');
    if (timestamp < created - OLDEST_S) {
      throw new StripeRefusal(400, 'The timestamp is too far in the past.', {
        code: 'timestamp_too_far_in_past',
        param: 'timestamp',
      });
    }
    if (timestamp > created + AHEAD_S) {
      throw new StripeRefusal(400, 'The timestamp is in the future.', {
        code: 'timestamp_in_future',
        param: 'timestamp',
      });
    }
    const identifier = textAt(form, 'identifier') ?? stripeId('mev');
    if (identifier.length > 100) throw invalid('identifier', 'Longer than 100 characters.');
    const taken = account.meterEvents.some(
      (event) => event.identifier === identifier && event.created > created - IDENTIFIER_S,
    );
    // Stripe gives this refusal no code.
    if (taken) throw new StripeRefusal(400, `An event already exists with identifier ${identifier}.`);
    const event: MeterEvent = {
      object: 'billing.meter_event',
      event_name: name,
      identifier,
      payload: { stripe_customer_id: customer, value },
      timestamp,
      created,
      livemode: false,
    };
    account.meterEvents.push(event);
    return event;
  },
};

export const createSubscription: Endpoint = {
  method: 'POST',
  path: /^\/v1\/subscriptions$/,
  params: ['customer', 'items[*][price]'],
  required: ['customer', 'items'],
  run({ form }, { account, prices }) {
    const customer = requireCustomer(form, account);
    const price = textAt(form, 'items', '0', 'price');
    if (price === undefined) throw missing('items[0][price]');
    if (!prices.includes(price)) throw noSuch('price', price, 'items[0][price]');
    if (!account.customers.get(customer)?.invoice_settings.default_payment_method) {
      throw new StripeRefusal(
        400,
        'This customer has no attached payment source or default payment method.',
        {
          code: 'resource_missing',
        },
      );
    }
    const subscription = {
      id: stripeId('sub'),
      object: 'subscription' as const,
      customer,
      status: 'active' as const,
      price,
    };
    account.subscriptions.push(subscription);
    return subscription;
  },
};

export const listSubscriptions: Endpoint = {
  method: 'GET',
  path: /^\/v1\/subscriptions$/,
  params: ['customer', 'price', 'limit', 'status'],
  run({ form }, { account }) {
    checkLimit(form);
    // Those that are canceled are listed to who asks for them alone.
    const found = account.subscriptions.filter(
      ({ customer, price, status }) =>
        status !== 'canceled' &&
        customer === (textAt(form, 'customer') ?? customer) &&
        price === (textAt(form, 'price') ?? price),
    );
    return listOf('/v1/subscriptions', found);
  },
};
