import { type CheckoutSession, type MeterEvent, type StripeAccount, stripeId } from './account.js';
import { invalid, missing, noSuch, StripeRefusal, unknown } from './errors.js';
import { type Form, namesOf, textAt } from './form.js';

/** A request whose credentials were checked. */
export interface ApiRequest {
  /** Of the path's `{id}`. */
  readonly id: string;
  /** Of the body, or of the query of a GET. */
  readonly form: Form;
}

export interface EndpointContext {
  readonly account: StripeAccount;
  readonly baseUrl: string;
  readonly meters: readonly string[];
  readonly prices: readonly string[];
  /** Epoch ms. */
  readonly now: () => number;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  /** Names that are taken; `*` stands for a number, and at the end for any one name. */
  readonly params: readonly string[];
  readonly required?: readonly string[];
  run(request: ApiRequest, context: EndpointContext): object;
}

/** A meter takes usage of the last 35 days and up to 5 minutes ahead, in seconds. */
const OLDEST_S = 35 * 24 * 60 * 60;
const AHEAD_S = 5 * 60;
/** For how long an identifier is taken, in seconds. */
const IDENTIFIER_S = 24 * 60 * 60;

/** Refuses parameters that are unknown, missing or empty. */
export function checkParams(endpoint: Endpoint, form: Form): void {
  const allowed = new Set(endpoint.params);
  const any = endpoint.params.filter((name) => name.endsWith('[*]')).map((name) => name.slice(0, -3));
  for (const name of namesOf(form)) {
    if (!allowed.has(name) && !any.some((prefix) => name.startsWith(`${prefix}[`))) throw unknown(name);
  }
  for (const name of endpoint.required ?? []) {
    const present = form[name];
    if (present === undefined) throw missing(name);
    if (present === '') throw invalid(name, `You passed an empty string for '${name}'.`);
  }
}

const createCustomer: Endpoint = {
  method: 'POST',
  path: /^\/v1\/customers$/,
  params: ['email', 'name', 'metadata[*]'],
  run({ form }, { account }) {
    const metadata = typeof form.metadata === 'object' ? (form.metadata as Record<string, string>) : {};
    const customer = {
      id: stripeId('cus'),
      object: 'customer' as const,
      metadata,
      invoice_settings: { default_payment_method: null },
    };
    account.customers.set(customer.id, customer);
    return customer;
  },
};

const updateCustomer: Endpoint = {
  method: 'POST',
  path: /^\/v1\/customers\/(?<id>[^/]+)$/,
  params: ['invoice_settings[default_payment_method]'],
  run({ id, form }, { account }) {
    const customer = account.customers.get(id);
    if (!customer) throw noSuch('customer', id, 'id', 404);
    const method = textAt(form, 'invoice_settings', 'default_payment_method');
    if (method !== undefined) {
      if (account.paymentMethods.get(method)?.customer !== id) {
        throw noSuch('PaymentMethod', method, 'invoice_settings[default_payment_method]');
      }
      customer.invoice_settings.default_payment_method = method;
    }
    return customer;
  },
};

const listPaymentMethods: Endpoint = {
  method: 'GET',
  path: /^\/v1\/customers\/(?<id>[^/]+)\/payment_methods$/,
  params: ['limit', 'type'],
  run({ id }, { account }) {
    if (!account.customers.has(id)) throw noSuch('customer', id, 'customer', 404);
    return listOf(`/v1/customers/${id}/payment_methods`, account.methodsOf(id));
  },
};

const getSetupIntent: Endpoint = {
  method: 'GET',
  path: /^\/v1\/setup_intents\/(?<id>[^/]+)$/,
  params: [],
  run({ id }, { account }) {
    const intent = account.setupIntents.get(id);
    if (!intent) throw noSuch('setupintent', id, 'intent', 404);
    return intent;
  },
};

const createSession: Endpoint = {
  method: 'POST',
  path: /^\/v1\/checkout\/sessions$/,
  params: [
    'mode',
    'currency',
    'customer',
    'client_reference_id',
    'success_url',
    'cancel_url',
    'line_items[*][quantity]',
    'line_items[*][price_data][currency]',
    'line_items[*][price_data][unit_amount]',
    'line_items[*][price_data][product_data][name]',
  ],
  required: ['mode', 'success_url'],
  run({ form }, { account, baseUrl }) {
    const mode = textAt(form, 'mode');
    if (mode !== 'setup' && mode !== 'payment') throw invalid('mode', `Invalid mode: ${mode}`);
    const customer = requireCustomer(form, account);
    for (const name of ['success_url', 'cancel_url']) {
      const url = textAt(form, name);
      if (url !== undefined && !/^https?:\/\/\S+$/.test(url)) {
        throw new StripeRefusal(400, 'Not a valid URL', { code: 'url_invalid', param: name });
      }
    }
    const amount = mode === 'payment' ? amountOf(form) : null;
    if (mode === 'setup') {
      if (form.line_items !== undefined) throw invalid('line_items', 'No line items in setup mode.');
      if (textAt(form, 'currency') === undefined) throw missing('currency');
    }
    const id = stripeId('cs_test');
    let setupIntent: string | null = null;
    if (mode === 'setup') {
      setupIntent = stripeId('seti');
      account.setupIntents.set(setupIntent, {
        id: setupIntent,
        object: 'setup_intent',
        customer,
        payment_method: null,
        status: 'requires_payment_method',
      });
    }
    const session: CheckoutSession = {
      id,
      object: 'checkout.session',
      mode,
      customer,
      client_reference_id: textAt(form, 'client_reference_id') ?? null,
      currency: 'usd',
      amount_subtotal: amount,
      amount_total: amount,
      setup_intent: setupIntent,
      success_url: textAt(form, 'success_url') ?? '',
      cancel_url: textAt(form, 'cancel_url') ?? null,
      url: `${baseUrl}/c/pay/${id}`,
      payment_status: mode === 'setup' ? 'no_payment_required' : 'unpaid',
      status: 'open',
    };
    account.sessions.set(id, session);
    return session;
  },
};

/** The sum of the line items in cents. */
function amountOf(form: Form): number {
  const items = form.line_items;
  if (typeof items !== 'object') throw missing('line_items');
  let amount = 0;
  for (const index of Object.keys(items)) {
    const at = (...path: string[]) => textAt(form, 'line_items', index, ...path);
    if (at('price_data', 'currency') !== 'usd') throw missing(`line_items[${index}][price_data][currency]`);
    if (!at('price_data', 'product_data', 'name')) {
      throw missing(`line_items[${index}][price_data][product_data]`);
    }
    amount +=
      wholeNumber(at('price_data', 'unit_amount'), `line_items[${index}][price_data][unit_amount]`) *
      wholeNumber(at('quantity'), `line_items[${index}][quantity]`);
  }
  // Stripe's smallest charge in USD (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).
  if (amount < 50) throw new StripeRefusal(400, 'Amount too small.', { code: 'amount_too_small' });
  return amount;
}

function wholeNumber(text: string | undefined, param: string): number {
  if (text === undefined) throw missing(param);
  if (!/^\d+$/.test(text)) throw invalid(param, `Invalid integer: ${text}`);
  return Number(text);
}

const createPortalSession: Endpoint = {
  method: 'POST',
  path: /^\/v1\/billing_portal\/sessions$/,
  params: ['customer', 'return_url'],
  required: ['customer'],
  run({ form }, { account, baseUrl }) {
    const customer = requireCustomer(form, account);
    const id = stripeId('bps');
    return {
      id,
      object: 'billing_portal.session',
      customer,
      return_url: textAt(form, 'return_url') ?? null,
      url: `${baseUrl}/p/session/${id}`,
    };
  },
};

const createMeterEvent: Endpoint = {
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

const createSubscription: Endpoint = {
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

const listSubscriptions: Endpoint = {
  method: 'GET',
  path: /^\/v1\/subscriptions$/,
  params: ['customer', 'price', 'limit', 'status'],
  run({ form }, { account }) {
    const found = account.subscriptions.filter(
      ({ customer, price }) =>
        customer === (textAt(form, 'customer') ?? customer) && price === (textAt(form, 'price') ?? price),
    );
    return listOf('/v1/subscriptions', found);
  },
};

function requireCustomer(form: Form, account: StripeAccount): string {
  const customer = textAt(form, 'customer');
  if (customer === undefined) throw missing('customer');
  if (!account.customers.has(customer)) throw noSuch('customer', customer, 'customer');
  return customer;
}

function listOf(url: string, data: readonly object[]): object {
  return { object: 'list', url, has_more: false, data };
}

export const ENDPOINTS: readonly Endpoint[] = [
  createCustomer,
  updateCustomer,
  listPaymentMethods,
  getSetupIntent,
  createSession,
  createPortalSession,
  createMeterEvent,
  createSubscription,
  listSubscriptions,
];
