import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { noticeOf } from './stripe-notices.js';

const ID = 'evt_1';
const event = (type: string, object: object, previous?: object): Stripe.Event =>
  ({
    id: ID,
    type,
    data: { object, ...(previous === undefined ? {} : { previous_attributes: previous }) },
  }) as never;
const ignored = (type: string) => ({ kind: 'ignored', id: ID, type });
const COMPLETED = 'checkout.session.completed';

describe('a checkout session for a payment method', () => {
  const session = { id: 'cs_1', mode: 'setup', customer: 'cus_1', setup_intent: 'seti_1' };
  const saved = { kind: 'method_saved', id: ID, customer: 'cus_1', saved: { setup: 'seti_1' } };

  it('that is completed saved it, whether ids stand there or what they name', () => {
    expect(noticeOf(event(COMPLETED, session))).toEqual(saved);
    const expanded = { ...session, customer: { id: 'cus_1' }, setup_intent: { id: 'seti_1' } };
    expect(noticeOf(event(COMPLETED, expanded))).toEqual(saved);
  });

  it.each([
    ['of nobody', { customer: null }],
    ['without an intent', { setup_intent: null }],
    ['without an intent, though something was paid', { setup_intent: null, payment_status: 'paid' }],
  ])('%s is ignored', (_, fields) => {
    const paid = { currency: 'usd', amount_subtotal: 100 };
    expect(noticeOf(event(COMPLETED, { ...session, ...paid, ...fields }))).toEqual(ignored(COMPLETED));
  });
});

describe('a checkout session for credit', () => {
  const session = {
    id: 'cs_2',
    mode: 'payment',
    customer: 'cus_1',
    payment_status: 'paid',
    currency: 'usd',
    amount_subtotal: 2500,
  };

  it.each([COMPLETED, 'checkout.session.async_payment_succeeded'])(
    'that is paid gives it, in micro-dollars: %s',
    (type) => {
      const paid = { kind: 'credit_paid', id: ID, customer: 'cus_1', session: 'cs_2', amount: 25_000_000 };
      expect(noticeOf(event(type, session))).toEqual(paid);
      expect(noticeOf(event(type, { ...session, setup_intent: 'seti_1' }))).toEqual(paid);
      expect(noticeOf(event(type, { ...session, amount_subtotal: 1 }))).toMatchObject({ amount: 10_000 });
    },
  );

  it.each([
    ['that is not paid yet', { payment_status: 'unpaid' }],
    ['that cost nothing', { payment_status: 'no_payment_required', amount_subtotal: 0 }],
    ['of nothing', { amount_subtotal: 0 }],
    ['of an unknown amount', { amount_subtotal: null }],
    ['in another currency', { currency: 'eur' }],
    ['of nobody', { customer: null }],
    ['for a subscription', { mode: 'subscription' }],
  ])('%s is ignored', (_, fields) => {
    expect(noticeOf(event(COMPLETED, { ...session, ...fields }))).toEqual(ignored(COMPLETED));
  });
});

describe('a payment method', () => {
  const type = 'payment_method.detached';
  const method = { id: 'pm_1', customer: null };

  it("that is detached was removed, and its customer's it was before", () => {
    const removed = { kind: 'method_removed', id: ID, customer: 'cus_1' };
    expect(noticeOf(event(type, method, { customer: 'cus_1' }))).toEqual(removed);
    expect(noticeOf(event(type, method, { customer: { id: 'cus_1' } }))).toEqual(removed);
  });

  it("that was nobody's is ignored", () => {
    expect(noticeOf(event(type, method))).toEqual(ignored(type));
    expect(noticeOf(event(type, method, { metadata: {} }))).toEqual(ignored(type));
    expect(noticeOf(event(type, method, { customer: null }))).toEqual(ignored(type));
  });
});

it('a payment method that is attached to a customer was saved', () => {
  const type = 'payment_method.attached';
  const saved = { kind: 'method_saved', id: ID, customer: 'cus_1', saved: { method: 'pm_1' } };
  expect(noticeOf(event(type, { id: 'pm_1', customer: 'cus_1' }))).toEqual(saved);
  expect(noticeOf(event(type, { id: 'pm_1', customer: { id: 'cus_1' } }))).toEqual(saved);
  expect(noticeOf(event(type, { id: 'pm_1', customer: null }))).toEqual(ignored(type));
});

it('a subscription that is deleted has ended, where it is of our price', () => {
  const type = 'customer.subscription.deleted';
  const object = {
    customer: 'cus_1',
    items: { data: [{ price: { id: 'price_0' } }, { price: { id: 'price_1' } }] },
  };
  const ended = { kind: 'subscription_ended', id: ID, customer: 'cus_1' };
  expect(noticeOf(event(type, object), 'price_1')).toEqual(ended);
  expect(noticeOf(event(type, object), 'price_2')).toEqual(ignored(type));
  expect(noticeOf(event(type, object))).toEqual(ignored(type));
});

it('a customer that is deleted is gone', () => {
  const object = { id: 'cus_1', object: 'customer' };
  const removed = { kind: 'customer_removed', id: ID, customer: 'cus_1' };
  expect(noticeOf(event('customer.deleted', object))).toEqual(removed);
});

it('anything else is ignored', () => {
  expect(noticeOf(event('invoice.paid', { customer: 'cus_1' }))).toEqual(ignored('invoice.paid'));
});
