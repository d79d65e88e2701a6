import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StripeEmulator, startStripeEmulator } from './server.js';
import { signatureOf } from './webhooks.js';

const KEY = 'sk_test_key';
const DAY_MS = 86_400_000;

describe('the Stripe emulator', () => {
  let stripe: StripeEmulator;
  let clock: ScriptedClock;
  let customer: string;

  const post = async (path: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await fetch(stripe.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, ...headers },
      body: new URLSearchParams(form),
    });
    const body = (await answer.json()) as Record<string, unknown> & { id: string };
    return { status: answer.status, body, headers: answer.headers, error: body.error };
  };
  const usage = (changes: Record<string, string> = {}) => ({
    event_name: 'voice_agent_usage',
    identifier: 'call_1',
    'payload[stripe_customer_id]': customer,
    'payload[value]': '1200',
    ...changes,
  });

  beforeEach(async () => {
    clock = new ScriptedClock();
    stripe = await startStripeEmulator({ secretKey: KEY, clock, prices: ['price_1'] });
    customer = (await post('/v1/customers', { 'metadata[tenant_id]': 't' })).body.id;
  });
  afterEach(() => stripe.close());

  it.each([
    ['no key', {}],
    ['another key', { authorization: 'Bearer sk_test_other' }],
  ])('refuses %s with 401', async (_what, headers) => {
    const answer = await fetch(`${stripe.url}/v1/customers`, { method: 'POST', headers });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  it('takes form bodies only', async () => {
    const answer = await fetch(`${stripe.url}/v1/customers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: '{"name":"x"}',
    });
    expect(answer.status).toBe(400);
  });

  it.each([
    ['an unknown parameter', '/v1/customers', { colour: 'red' }, 'parameter_unknown', 'colour'],
    ['a missing one', '/v1/billing_portal/sessions', {}, 'parameter_missing', 'customer'],
    [
      'a customer that is not',
      '/v1/billing_portal/sessions',
      { customer: 'cus_0' },
      'resource_missing',
      'customer',
    ],
    [
      'an address that is none',
      '/v1/checkout/sessions',
      { mode: 'setup', currency: 'usd', success_url: 'here' },
      'parameter_missing',
      'customer',
    ],
  ])('refuses %s', async (_what, path, form, code, param) => {
    expect(await post(path, form as Record<string, string>)).toMatchObject({
      status: 400,
      error: { type: 'invalid_request_error', code, param },
    });
  });

  it.each(['', 'dollars'])('refuses a currency that is none: "%s"', async (currency) => {
    const form = { mode: 'setup', currency, customer, success_url: 'https://example.com/done' };
    expect(await post('/v1/checkout/sessions', form)).toMatchObject({
      status: 400,
      error: { param: 'currency' },
    });
  });

  it.each([
    ['0', 400],
    ['1', 200],
    ['100', 200],
    ['101', 400],
  ])('takes a limit from 1 to 100: %s', async (limit, status) => {
    const headers = { authorization: `Bearer ${KEY}` };
    for (const path of ['/v1/subscriptions', `/v1/customers/${customer}/payment_methods`]) {
      expect((await fetch(`${stripe.url}${path}?limit=${limit}`, { headers })).status).toBe(status);
    }
  });

  it('does a request with an Idempotency-Key once, for 24 hours, and refuses another one under it', async () => {
    const headers = { 'idempotency-key': 'k' };
    const first = await post('/v1/customers', { name: 'a' }, headers);
    const again = await post('/v1/customers', { name: 'a' }, headers);
    expect(again.body.id).toBe(first.body.id);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await post('/v1/customers', { name: 'b' }, headers)).toMatchObject({
      status: 400,
      error: { type: 'idempotency_error' },
    });
    clock.jump(DAY_MS + 1);
    expect((await post('/v1/customers', { name: 'a' }, headers)).body.id).not.toBe(first.body.id);
  });

  it('keeps a failure under its Idempotency-Key as well', async () => {
    const headers = { 'idempotency-key': 'k' };
    stripe.faults.failNext = 1;
    expect((await post('/v1/customers', {}, headers)).status).toBe(500);
    expect((await post('/v1/customers', {}, headers)).status).toBe(500);
    expect((await post('/v1/customers', {}, { 'idempotency-key': 'l' })).status).toBe(200);
  });

  describe('meter events', () => {
    it('are taken once by their identifier, for a day', async () => {
      expect((await post('/v1/billing/meter_events', usage())).status).toBe(200);
      expect(await post('/v1/billing/meter_events', usage())).toMatchObject({
        status: 400,
        error: { message: 'An event already exists with identifier call_1.' },
      });
      expect(stripe.account.metered(customer)).toBe(1200);
      clock.jump(DAY_MS + 1000);
      expect((await post('/v1/billing/meter_events', usage())).status).toBe(200);
    });

    it.each([
      ['of an unknown meter', { event_name: 'other' }, { param: 'event_name' }],
      ['of an unknown customer', { 'payload[stripe_customer_id]': 'cus_0' }, { code: 'resource_missing' }],
      ['without a number', { 'payload[value]': 'much' }, { code: 'parameter_invalid' }],
      [
        'older than 35 days',
        { timestamp: String(Date.UTC(2025, 11, 1) / 1000) },
        { code: 'timestamp_too_far_in_past' },
      ],
      [
        'of the future',
        { timestamp: String(Date.UTC(2026, 0, 5, 15, 6) / 1000) },
        { code: 'timestamp_in_future' },
      ],
    ])('%s are refused', async (_what, changes, error) => {
      const answer = await post('/v1/billing/meter_events', usage(changes as Record<string, string>));
      expect(answer).toMatchObject({ status: 400, error });
      expect(stripe.account.meterEvents).toEqual([]);
    });
  });

  it('subscribes only customers with a payment method', async () => {
    const form = { customer, 'items[0][price]': 'price_1' };
    expect((await post('/v1/subscriptions', form)).status).toBe(400);
    const session = await post('/v1/checkout/sessions', {
      mode: 'setup',
      currency: 'usd',
      customer,
      success_url: 'https://example.com/done',
    });
    const page = await fetch(session.body.url as string, { redirect: 'manual' });
    expect([page.status, page.headers.get('location')]).toEqual([303, 'https://example.com/done']);
    const [method] = stripe.account.methodsOf(customer);
    await post(`/v1/customers/${customer}`, { 'invoice_settings[default_payment_method]': method!.id });
    expect((await post('/v1/subscriptions', form)).status).toBe(200);
  });

  it('lists subscriptions that run, and knows whose a payment method is', async () => {
    const get = async (path: string) => {
      const answer = await fetch(stripe.url + path, { headers: { authorization: `Bearer ${KEY}` } });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const running = async () =>
      (await get(`/v1/subscriptions?customer=${customer}`)).body.data as { status: string }[];
    const event = await stripe.attachMethod(customer);
    const { id } = event.data.object as { id: string };
    expect((await get(`/v1/payment_methods/${id}`)).body).toMatchObject({ customer });
    expect((await get('/v1/payment_methods/pm_0')).status).toBe(404);
    await post(`/v1/customers/${customer}`, { 'invoice_settings[default_payment_method]': id });
    await post('/v1/subscriptions', { customer, 'items[0][price]': 'price_1' });
    expect(await running()).toMatchObject([{ status: 'active' }]);
    const [ended] = await stripe.cancelSubscriptions(customer);
    expect(ended).toMatchObject({
      type: 'customer.subscription.deleted',
      data: { object: { customer, status: 'canceled', items: { data: [{ price: { id: 'price_1' } }] } } },
    });
    expect(await running()).toEqual([]);
    expect(await stripe.cancelSubscriptions(customer)).toEqual([]);
  });

  it('lists the latest payment method first, and has no default after that is removed', async () => {
    const get = async (path: string) => {
      const answer = await fetch(stripe.url + path, { headers: { authorization: `Bearer ${KEY}` } });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const attached = async () => ((await stripe.attachMethod(customer)).data.object as { id: string }).id;
    const [first, second] = [await attached(), await attached()];
    expect((await get(`/v1/customers/${customer}/payment_methods`)).body.data).toMatchObject([
      { id: second },
      { id: first },
    ]);
    await post(`/v1/customers/${customer}`, { 'invoice_settings[default_payment_method]': first });
    const defaultIs = async (method: string | null) =>
      expect((await get(`/v1/customers/${customer}`)).body).toMatchObject({
        invoice_settings: { default_payment_method: method },
      });
    await stripe.detachMethod(second);
    await defaultIs(first);
    await stripe.detachMethod(first);
    await defaultIs(null);
    await expect(stripe.detachMethod(first)).rejects.toThrow('No such PaymentMethod');
    expect((await get('/v1/customers/cus_0')).status).toBe(404);
  });

  it('signs by time and body', () => {
    // As in Stripe's documentation of manual verification: HMAC-SHA256 of "12345.{}".
    expect(signatureOf('{}', 'whsec_x', 12_345_678)).toMatch(/^t=12345,v1=[0-9a-f]{64}$/);
    expect(signatureOf('{}', 'whsec_x', 12_345_678)).not.toBe(signatureOf('{} ', 'whsec_x', 12_345_678));
  });
});
