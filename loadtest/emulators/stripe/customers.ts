import { stripeId } from './account.js';
import { checkLimit, type Endpoint, listOf } from './endpoint.js';
import { noSuch } from './errors.js';
import { textAt } from './form.js';

export const createCustomer: Endpoint = {
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

export const getCustomer: Endpoint = {
  method: 'GET',
  path: /^\/v1\/customers\/(?<id>[^/]+)$/,
  params: [],
  run({ id }, { account }) {
    const customer = account.customers.get(id);
    if (!customer) throw noSuch('customer', id, 'id', 404);
    return customer;
  },
};

export const updateCustomer: Endpoint = {
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

export const getPaymentMethod: Endpoint = {
  method: 'GET',
  path: /^\/v1\/payment_methods\/(?<id>[^/]+)$/,
  params: [],
  run({ id }, { account }) {
    const method = account.paymentMethods.get(id);
    if (!method) throw noSuch('PaymentMethod', id, 'payment_method', 404);
    return method;
  },
};

export const listPaymentMethods: Endpoint = {
  method: 'GET',
  path: /^\/v1\/customers\/(?<id>[^/]+)\/payment_methods$/,
  params: ['limit', 'type'],
  run({ id, form }, { account }) {
    checkLimit(form);
    if (!account.customers.has(id)) throw noSuch('customer', id, 'customer', 404);
    // The latest first (https://docs.stripe.com/api/pagination).
    return listOf(`/v1/customers/${id}/payment_methods`, account.methodsOf(id).toReversed());
  },
};
