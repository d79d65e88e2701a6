import { systemClock } from '@voice/shared/clock/clock';
import { createLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type StripeEmulator, startStripeEmulator } from '../../../loadtest/emulators/stripe/server.js';
import type { StripeEvent } from '../../../loadtest/emulators/stripe/webhooks.js';
import { startControlPlane } from '../control-plane.js';
import { startTestControlPlane, testConfig } from '../testing/control-plane.js';
import { eventually } from '../testing/eventually.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { CheckoutResponse } from './schemas.js';
import { BilledCalls, type BilledTenant, TWO_MINUTES_MS } from './testing/billed-calls.js';
import { type UsageRow, usageModel } from './usage-model.js';

const WEBHOOK_SECRET = 'whsec_of_the_test';
const DAY_MS = 24 * 60 * 60 * 1000;

let store: TestStore;
let stripe: StripeEmulator;
let calls: BilledCalls;
let tenant: BilledTenant;

/** A payment provider; what is wanted is left to the default. */
const withStripe = () => ({
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_API_URL: stripe.url,
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  STRIPE_PRICE_ID: 'price_usage',
});

beforeAll(async () => {
  store = await startTestStore();
  stripe = await startStripeEmulator({ secretKey: 'sk_test_x', prices: ['price_usage'] });
  calls = await BilledCalls.start((env) =>
    startTestControlPlane(store.uri, {
      env: {
        ...env,
        ...withStripe(),
      },
    }),
  );
  stripe.webhook = { url: `${calls.plane.url}/internal/payments/stripe`, secret: WEBHOOK_SECRET };
});
afterAll(async () => {
  await calls?.close();
  await stripe?.close();
  await store?.close();
});
beforeEach(async () => {
  tenant = await calls.newTenant();
});

/** Status and code of what each of the three is answered: a call, a number, a verification. */
async function answers(key = tenant.liveKey): Promise<[number, string | undefined][]> {
  const ask = async (path: string, body: object): Promise<[number, string | undefined]> => {
    const answer = await calls.plane.request('POST', `/api/v1${path}`, { key, body });
    return [answer.status, (answer.json as { code?: string }).code];
  };
  return [
    await ask('/calls', {
      agent_id: tenant.agentId,
      from_number: '+12025550100',
      to_number: '+12025550123',
    }),
    await ask('/phones', { phone_number: '+12025550199' }),
    await ask('/verifications', { phone_number: '+12025550123' }),
  ];
}
const REFUSED = [402, 'payment_method_required'];
const setUp = async () =>
  (await calls.plane.request('POST', '/api/v1/billing/setup', { key: tenant.liveKey }))
    .json as CheckoutResponse;
const recordOf = (id: string) => usageModel(calls.plane.testStore()).findById(id).lean<UsageRow>().orFail();
const metered = (id: string, state: UsageRow['meter_state']) =>
  eventually(
    () => recordOf(id),
    (record) => record.meter_state === state,
  );
/** The subscriptions that run. */
const subscriptionsOf = (customer: string) =>
  stripe.account.subscriptions.filter((each) => each.customer === customer && each.status === 'active');
const detached = (customer: string): StripeEvent => ({
  id: `evt_${crypto.randomUUID()}`,
  object: 'event',
  type: 'payment_method.detached',
  created: 0,
  data: { object: { id: 'pm_other', customer: null }, previous_attributes: { customer } },
});
const eventsOf = (id: string) =>
  stripe.account.meterEvents.filter(({ identifier }) => identifier === `call_${id}`);

describe('where billing is required', () => {
  it('a tenant without payment method and credit gets no live call, number or verification', async () => {
    expect(await answers()).toEqual([REFUSED, REFUSED, REFUSED]);
    // A customer who has saved no method yet is none of those either.
    await setUp();
    expect(await answers()).toEqual([REFUSED, REFUSED, REFUSED]);
    const account = await calls.plane.internal('GET', `/internal/billing/tenants/${tenant.id}`);
    expect(account.json).toMatchObject({ refusal: 'payment_method_required' });
  });

  it('a saved payment method lets it, and one that is taken away does not any more', async () => {
    const session = await setUp();
    await stripe.completeSession(session.session_id);
    for (const [status] of await answers()) expect(status).not.toBe(402);
    await stripe.detachMethods(stripe.account.sessions.get(session.session_id)!.customer);
    expect(await answers()).toEqual([REFUSED, REFUSED, REFUSED]);
  });

  it('a payment method that is added in the portal lets it, and begins billing', async () => {
    const customer = stripe.account.sessions.get((await setUp()).session_id)!.customer;
    const { id } = await calls.held(tenant);
    await metered(id, 'no_customer');
    await stripe.attachMethod(customer);
    for (const [status] of await answers()) expect(status).not.toBe(402);
    const [method] = stripe.account.methodsOf(customer);
    expect(stripe.account.customers.get(customer)?.invoice_settings.default_payment_method).toBe(method!.id);
    expect(subscriptionsOf(customer)).toHaveLength(1);
    await metered(id, 'sent');
  });

  it('the end of the subscription refuses it, until a payment method is saved anew', async () => {
    const session = await setUp();
    const { customer } = stripe.account.sessions.get(session.session_id)!;
    await stripe.completeSession(session.session_id);
    expect(subscriptionsOf(customer)).toHaveLength(1);
    const [ended] = await stripe.cancelSubscriptions(customer);
    expect(await answers()).toEqual([REFUSED, REFUSED, REFUSED]);
    const { id } = await calls.held(tenant);
    await metered(id, 'no_customer');
    // With one of two methods gone, the other is still billed by nothing.
    await stripe.send(detached(customer));
    expect(await answers()).toEqual([REFUSED, REFUSED, REFUSED]);
    await stripe.completeSession((await setUp()).session_id);
    for (const [status] of await answers()) expect(status).not.toBe(402);
    expect(subscriptionsOf(customer)).toHaveLength(1);
    await metered(id, 'sent');
    // Its notice, late and for the first time, as far as is known here.
    await stripe.send({ ...ended!, id: `evt_${crypto.randomUUID()}` });
    for (const [status] of await answers()) expect(status).not.toBe(402);
  });

  it('what a last call overdrew is billed once there is a payment method, once', async () => {
    await calls.plane.internal('POST', `/internal/billing/tenants/${tenant.id}/credit`, {
      id: crypto.randomUUID(),
      amount_usd: 0.03,
    });
    const { cost } = await calls.held(tenant);
    const session = await setUp();
    const { customer } = stripe.account.sessions.get(session.session_id)!;
    await stripe.completeSession(session.session_id);
    await stripe.attachMethod(customer);
    const reports = await eventually(
      () => stripe.account.meterEvents.filter(({ payload }) => payload.stripe_customer_id === customer),
      (found) => found.length > 0,
    );
    expect(reports).toMatchObject([
      {
        identifier: expect.stringMatching(/^overdraft_/),
        payload: { value: String(Math.round(cost!.total * 1_000_000) - 30_000) },
      },
    ]);
    const account = await calls.plane.internal('GET', `/internal/billing/tenants/${tenant.id}`);
    expect(account.json).toMatchObject({ credit_usd: 0, refusal: null });
  });

  it('credit lets it, until it is used up', async () => {
    await calls.plane.internal('POST', `/internal/billing/tenants/${tenant.id}/credit`, {
      id: crypto.randomUUID(),
      amount_usd: 0.2,
    });
    for (const [status] of await answers()) expect(status).not.toBe(402);
    await calls.held(tenant, { durationMs: 5 * TWO_MINUTES_MS });
    const exhausted = [402, 'credit_exhausted'];
    expect(await answers()).toEqual([exhausted, exhausted, exhausted]);
  });

  it('the sandbox is not concerned', async () => {
    for (const [status] of await answers(tenant.sandboxKey)) expect(status).not.toBe(402);
  });

  it('usage from before is billed when the customer comes, as of that day', async () => {
    const { id } = await calls.held(tenant);
    const session = await setUp();
    const { id: between } = await calls.held(tenant);
    const longAgo = new Date(Date.now() - 60 * DAY_MS);
    await metered(id, 'no_customer');
    await metered(between, 'no_customer');
    await usageModel(calls.plane.testStore()).updateOne({ _id: id }, { $set: { ended_at: longAgo } });
    const before = Math.floor(Date.now() / 1000);
    await stripe.completeSession(session.session_id);
    for (const each of [id, between]) {
      await metered(each, 'sent');
      const [event, ...more] = eventsOf(each);
      expect(more).toEqual([]);
      // Nothing is invoiced from before the subscription, nor taken that is older than 35 days.
      expect(event?.timestamp).toBeGreaterThanOrEqual(before);
    }
  });
});

it('where billing is off, usage from before the customer is not billed', async () => {
  const plane = await startTestControlPlane(store.uri, {
    env: { ...calls.carrier.env, ...withStripe(), BILLING: 'off' },
  });
  const { id } = await calls.held(tenant);
  await metered(id, 'no_customer');
  stripe.webhook = { url: `${plane.url}/internal/payments/stripe`, secret: WEBHOOK_SECRET };
  const session = await setUp();
  await stripe.completeSession(session.session_id);
  await plane.close();
  expect((await recordOf(id)).meter_state).toBe('no_customer');
  stripe.webhook = { url: `${calls.plane.url}/internal/payments/stripe`, secret: WEBHOOK_SECRET };
});

describe('the start-up log', () => {
  /** What is logged at the start, one entry a line. */
  async function startUpLog(env: Readonly<Record<string, string>>): Promise<Record<string, unknown>[]> {
    const lines: string[] = [];
    const log = createLog({ name: 'test', level: 'info', write: (line) => lines.push(line) });
    const plane = await startControlPlane({ config: testConfig(store.uri, env), clock: systemClock, log });
    await plane.close();
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it('says that billing is off, and what that means', async () => {
    const [entry] = (await startUpLog({ LOG_LEVEL: 'info' })).filter(({ billing }) => billing === 'off');
    expect(entry?.msg).toMatch(/^billing is off: .*BILLING=required/);
    expect(entry?.level).toBe(40);
  });
});
