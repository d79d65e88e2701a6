import { type CheckoutSession, type PortalSession, stripeId } from './account.js';
import { type Endpoint, requireCustomer, wholeNumber } from './endpoint.js';
import { invalid, missing, noSuch, StripeRefusal } from './errors.js';
import { type Form, textAt } from './form.js';

export const getSetupIntent: Endpoint = {
  method: 'GET',
  path: /^\/v1\/setup_intents\/(?<id>[^/]+)$/,
  params: [],
  run({ id }, { account }) {
    const intent = account.setupIntents.get(id);
    if (!intent) throw noSuch('setupintent', id, 'intent', 404);
    return intent;
  },
};

export const createSession: Endpoint = {
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
      const currency = textAt(form, 'currency');
      if (currency === undefined) throw missing('currency');
      if (!/^[a-z]{3}$/i.test(currency)) throw invalid('currency', `Invalid currency: ${currency}`);
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

/** Sums the line items in cents. */
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

export const createPortalSession: Endpoint = {
  method: 'POST',
  path: /^\/v1\/billing_portal\/sessions$/,
  params: ['customer', 'return_url'],
  required: ['customer'],
  run({ form }, { account, baseUrl }) {
    const customer = requireCustomer(form, account);
    const id = stripeId('bps');
    const session: PortalSession = {
      id,
      object: 'billing_portal.session',
      customer,
      return_url: textAt(form, 'return_url') ?? null,
      url: `${baseUrl}/p/session/${id}`,
    };
    account.portalSessions.set(id, session);
    return session;
  },
};
