import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type StripeEmulator, startStripeEmulator } from '../../../../loadtest/emulators/stripe/server.js';
import { signatureOf } from '../../../../loadtest/emulators/stripe/webhooks.js';
import { startTestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import type { CheckoutResponse } from '../schemas.js';
import { BilledCalls, type BilledTenant, TWO_MINUTES_USD } from '../testing/billed-calls.js';
import { type UsageRow, usageModel } from '../usage-model.js';

const WEBHOOK_SECRET = 'whsec_of_the_test';
const INTAKE = '/internal/payments/stripe';
const MICRO = 1_000_000;

let store: TestStore;
let stripe: StripeEmulator;
let calls: BilledCalls;
let tenant: BilledTenant;

beforeAll(async () => {
  store = await startTestStore();
  stripe = await startStripeEmulator({ secretKey: 'sk_test_x', prices: ['price_usage'] });
  calls = await BilledCalls.start((env) =>
    startTestControlPlane(store.uri, {
      env: {
        ...env,
        BILLING: 'off',
        STRIPE_SECRET_KEY: 'sk_test_x',
        STRIPE_API_URL: stripe.url,
        STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
        STRIPE_PRICE_ID: 'price_usage',
      },
    }),
  );
  stripe.webhook = { url: calls.plane.url + INTAKE, secret: WEBHOOK_SECRET };
});
afterAll(async () => {
  await calls?.close();
  await stripe?.close();
  await store?.close();
});
beforeEach(async () => {
  tenant = await calls.newTenant();
});

const post = (path: string, body?: object, key = tenant.liveKey, headers = {}) =>
  calls.plane.request('POST', `/api/v1/billing/${path}`, { key, body, headers });
const setUp = async () => (await post('setup')).json as CheckoutResponse;
const customerOf = (session: CheckoutResponse) => stripe.account.sessions.get(session.session_id)!.customer;
const account = async () =>
  (await calls.plane.internal('GET', `/internal/billing/tenants/${tenant.id}`)).json as Record<
    string,
    unknown
  >;
const grant = (usd: number) =>
  calls.plane.internal('POST', `/internal/billing/tenants/${tenant.id}/credit`, {
    id: crypto.randomUUID(),
    amount_usd: usd,
  });
const recordOf = (id: string) => usageModel(calls.plane.testStore()).findById(id).lean<UsageRow>().orFail();
const metered = (id: string, state: UsageRow['meter_state'] = 'sent') =>
  eventually(
    () => recordOf(id),
    (record) => record.meter_state === state,
  );
const eventsOf = (id: string) =>
  stripe.account.meterEvents.filter(({ identifier }) => identifier === `call_${id}`);

describe('POST /api/v1/billing/setup', () => {
  // @rule 4.29
  it('creates a payment-method setup session with the payment provider, without a body too', async () => {
    const session = await setUp();
    expect(session.checkout_url).toMatch(/^http/);
    expect(stripe.account.sessions.get(session.session_id)).toMatchObject({
      mode: 'setup',
      amount_total: null,
      client_reference_id: tenant.id,
      success_url: `${calls.plane.url}/dashboard/billing?mode=live&billing=success`,
    });
  });

  it('sends the user where the body says', async () => {
    const urls = { success_url: 'https://example.com/yes', cancel_url: 'https://example.com/no' };
    const session = (await post('setup', urls)).json as CheckoutResponse;
    expect(stripe.account.sessions.get(session.session_id)).toMatchObject(urls);
    expect((await post('setup', { success_url: 'javascript:alert(1)' })).status).toBe(422);
  });

  it('makes the tenant one customer, also when asked several times at once', async () => {
    const sessions = await Promise.all([setUp(), setUp(), setUp()]);
    expect(new Set(sessions.map(customerOf)).size).toBe(1);
    const mine = [...stripe.account.customers.values()].filter(
      ({ metadata }) => metadata.tenant_id === tenant.id,
    );
    expect(mine).toHaveLength(1);
  });

  it('when the provider fails, answers 502', async () => {
    stripe.faults.failNext = 1;
    const answer = await post('setup');
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([502, 'payment_provider_error']);
  });

  it('when the answer is lost, sends the request again and gets the same session', async () => {
    await setUp();
    const before = stripe.account.sessions.size;
    stripe.faults.loseAnswerNext = 1;
    expect((await post('setup')).status).toBe(200);
    expect(stripe.account.sessions.size).toBe(before + 1);
  });
});

describe('POST /api/v1/billing/portal', () => {
  // @rule 4.30
  it('409 when the tenant has no payment-provider customer', async () => {
    const answer = await post('portal');
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([
      409,
      'payment_customer_missing',
    ]);
  });

  it('leads a customer to the portal', async () => {
    await setUp();
    const answer = await post('portal');
    expect([answer.status, answer.json]).toEqual([
      200,
      { portal_url: expect.stringContaining('/p/session/'), url: expect.stringContaining('/p/session/') },
    ]);
  });
});

describe('POST /api/v1/billing/checkout', () => {
  // @rule 9.3
  it('says that it is deprecated to those whom it refuses, too', async () => {
    const refused = await post('checkout', { plan: 'gold' });
    expect(refused.status).toBe(422);
    expect(refused.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(refused.headers.get('link')).toContain('/api/v1/billing/setup');
    expect((await post('setup')).headers.get('deprecation')).toBeNull();
  });

  // @rule 9.3
  it('is deprecated, and sells a fixed tier as prepaid credit', async () => {
    const answer = await post('checkout', { plan: 'starter' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(answer.headers.get('link')).toContain('/api/v1/billing/setup');
    const { session_id } = answer.json as CheckoutResponse;
    await stripe.completeSession(session_id);
    expect(await account()).toMatchObject({ credit_usd: 25 });
  });

  it('needs a plan that there is', async () => {
    expect((await post('checkout', {})).status).toBe(422);
    expect((await post('checkout', { plan: 'gold' })).status).toBe(422);
  });
});

describe("the payment provider's events", () => {
  it('that are delivered again change nothing', async () => {
    const { session_id } = (await post('checkout', { plan: 'growth' })).json as CheckoutResponse;
    const event = await stripe.completeSession(session_id);
    const later = { ...event, id: 'evt_other', type: 'checkout.session.async_payment_succeeded' };
    expect([await stripe.send(event), await stripe.send(event), await stripe.send(later)]).toEqual([
      200, 200, 200,
    ]);
    expect(await account()).toMatchObject({ credit_usd: 100 });
  });

  it('a saved payment method becomes the one that usage is billed to, by one subscription', async () => {
    const session = await setUp();
    const customer = customerOf(session);
    const event = await stripe.completeSession(session.session_id);
    await stripe.send(event);
    expect(await account()).toMatchObject({ payment_method: true });
    const [method] = stripe.account.methodsOf(customer);
    expect(stripe.account.customers.get(customer)?.invoice_settings.default_payment_method).toBe(method!.id);
    expect(stripe.account.subscriptions.filter((s) => s.customer === customer)).toHaveLength(1);
    await stripe.detachMethods(customer);
    expect(await account()).toMatchObject({ payment_method: false });
  });

  it('a second payment method leaves the default, and becomes it when the first is removed', async () => {
    const session = await setUp();
    const customer = customerOf(session);
    await stripe.completeSession(session.session_id);
    const [first] = stripe.account.methodsOf(customer);
    const defaultMethod = () =>
      stripe.account.customers.get(customer)?.invoice_settings.default_payment_method;
    await stripe.attachMethod(customer);
    const second = stripe.account.methodsOf(customer)[1]!;
    expect(defaultMethod()).toBe(first!.id);
    await stripe.detachMethod(first!.id);
    expect(defaultMethod()).toBe(second.id);
    expect(await account()).toMatchObject({ payment_method: true });
  });

  it('of a customer that is gone makes the tenant none again', async () => {
    const customer = customerOf(await setUp());
    const event = { id: 'evt_gone', object: 'event' as const, type: 'customer.deleted', created: 0 };
    expect(await stripe.send({ ...event, data: { object: { id: customer, object: 'customer' } } })).toBe(200);
    expect((await post('portal')).status).toBe(409);
    expect(await account()).toMatchObject({ payment_method: false });
  });

  it.each([
    ['another secret', (body: string) => signatureOf(body, 'whsec_guess', Date.now())],
    ['another body', () => signatureOf('{}', WEBHOOK_SECRET, Date.now())],
    ['an old time', (body: string) => signatureOf(body, WEBHOOK_SECRET, Date.now() - 301_000)],
    ['nothing', () => undefined],
  ])('signed by %s are refused with 401', async (_what, sign) => {
    const { session_id } = (await post('checkout', { plan: 'scale' })).json as CheckoutResponse;
    const object = { ...stripe.account.sessions.get(session_id), payment_status: 'paid' };
    const body = JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type: 'checkout.session.completed',
      data: { object },
    });
    const signature = sign(body);
    const answer = await calls.plane.request('POST', INTAKE, {
      body,
      headers: signature === undefined ? {} : { 'stripe-signature': signature },
    });
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([401, 'invalid_signature']);
    expect(await account()).toMatchObject({ credit_usd: null });
  });

  it('that are none at all are refused for their signature, too', async () => {
    const answer = await calls.plane.request('POST', INTAKE, { body: '{}' });
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([401, 'invalid_signature']);
  });

  it('of other types, and of customers of others, are acknowledged and ignored', async () => {
    const event = (type: string, object: object) => ({
      id: 'evt_2',
      object: 'event' as const,
      type,
      created: 0,
      data: { object },
    });
    const foreign = {
      mode: 'payment',
      customer: 'cus_other',
      payment_status: 'paid',
      currency: 'usd',
      amount_subtotal: 9,
    };
    expect(await stripe.send(event('invoice.paid', {}))).toBe(200);
    expect(await stripe.send(event('checkout.session.completed', foreign))).toBe(200);
  });
});

describe('usage of a customer', () => {
  // @rule 1.13
  it('is reported as a meter event after each call, in micro-dollars', async () => {
    const customer = customerOf(await setUp());
    const { id, ended_at } = await calls.held(tenant);
    await metered(id);
    expect(eventsOf(id)).toMatchObject([
      {
        event_name: 'voice_agent_usage',
        payload: { stripe_customer_id: customer, value: String(TWO_MINUTES_USD * MICRO) },
        timestamp: Math.floor(Date.parse(ended_at!) / 1000),
      },
    ]);
  });

  it('in the sandbox is not reported', async () => {
    await setUp();
    const { id } = await calls.held(tenant, { sandbox: true });
    expect((await recordOf(id)).meter_state).toBe('none');
    expect(eventsOf(id)).toEqual([]);
  });

  it('of a tenant who is no customer is not reported', async () => {
    const { id } = await calls.held(tenant);
    expect((await metered(id, 'no_customer')).meter_due_at).toBeNull();
  });

  it('is billed as far as no credit covers it, once there is a payment method', async () => {
    const session = await setUp();
    await stripe.completeSession(session.session_id);
    await grant(0.03);
    const { id } = await calls.held(tenant);
    await metered(id);
    expect(eventsOf(id)[0]?.payload.value).toBe('18000');
    expect(await account()).toMatchObject({ credit_usd: 0, refusal: null });
  });

  it('is reported once, though the answer is lost and the replica is killed before it knows', async () => {
    await setUp();
    stripe.faults.loseAnswerNext = 1;
    const { id } = await calls.held(tenant);
    await metered(id);
    expect(eventsOf(id)).toHaveLength(1);
    // As left by a replica that died after Stripe took it.
    await usageModel(calls.plane.testStore()).updateOne(
      { _id: id },
      { $set: { meter_state: 'pending', meter_due_at: new Date(0) } },
    );
    await metered(id);
    expect(eventsOf(id)).toHaveLength(1);
  });

  it('is reported once by two replicas that both look for what is left', async () => {
    await setUp();
    const other = await startTestControlPlane(store.uri, {
      env: { BILLING: 'off', STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_API_URL: stripe.url },
    });
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await calls.held(tenant)).id);
    await Promise.all(ids.map((id) => metered(id)));
    stripe.account.meterEvents.length = 0;
    const meterEvents = () => stripe.requests.filter((request) => request.endsWith('/meter_events')).length;
    const before = meterEvents();
    await usageModel(calls.plane.testStore()).updateMany(
      { _id: { $in: ids } },
      { $set: { meter_state: 'pending', meter_due_at: new Date(0) } },
    );
    await Promise.all(ids.map((id) => metered(id)));
    await other.close();
    expect(meterEvents() - before).toBe(3);
    expect(ids.map((id) => eventsOf(id).length)).toEqual([1, 1, 1]);
  });

  it('waits while the provider is out of order', async () => {
    await setUp();
    stripe.faults.failNext = 1;
    const { id } = await calls.held(tenant);
    const failed = await eventually(
      () => recordOf(id),
      ({ meter_state, meter_due_at }) =>
        meter_state === 'pending' && stripe.faults.failNext === 0 && meter_due_at !== null,
    );
    expect(eventsOf(id)).toEqual([]);
    expect(failed.meter_attempts).toBe(1);
    await eventually(
      () => recordOf(id),
      ({ meter_due_at }) => meter_due_at!.getTime() < Date.now() + 6000,
    );
    await usageModel(calls.plane.testStore()).updateOne({ _id: id }, { $set: { meter_due_at: new Date(0) } });
    await metered(id);
    expect(eventsOf(id)).toHaveLength(1);
  });
});
