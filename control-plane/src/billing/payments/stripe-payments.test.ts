import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newTenantId, type TenantId } from '@voice/shared/ids/ids';
import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type StripeEmulator, startStripeEmulator } from '../../../../loadtest/emulators/stripe/server.js';
import { signatureOf } from '../../../../loadtest/emulators/stripe/webhooks.js';
import type { SessionRequest } from './port.js';
import { addressOf, paymentFailure, type StripeOptions, StripePayments } from './stripe.js';

const SECRET = 'whsec_of_the_test';
const urls = { success: 'https://example.com/yes', cancel: 'https://example.com/no' };

let stripe: StripeEmulator;
let payments: StripePayments;
let tenant: TenantId;
let requests = 0;
const clock = new ScriptedClock();

const connected = (options: Partial<StripeOptions> = {}) =>
  new StripePayments(
    {
      secretKey: 'sk_test_x',
      webhookSecret: SECRET,
      apiUrl: stripe.url,
      meterEventName: 'voice_agent_usage',
      priceId: 'price_usage',
      ...options,
    },
    clock,
  );

beforeAll(async () => {
  stripe = await startStripeEmulator({ secretKey: 'sk_test_x', prices: ['price_usage'], clock });
  payments = connected();
});
afterAll(() => stripe?.close());
beforeEach(() => {
  // The beginning of a minute.
  clock.jump(60_000 - (clock.now() % 60_000));
  tenant = newTenantId();
  requests += 1;
});

/** Of the tenant, for a new customer. */
const request = async (fields: Partial<SessionRequest> = {}): Promise<SessionRequest> => ({
  tenant,
  customer: await payments.createCustomer(tenant),
  urls,
  requestId: `request-${requests}`,
  ...fields,
});
/** A customer and the setup intent with which it saved a payment method. */
async function saved(): Promise<{ customer: string; setup: { setup: string } }> {
  const asked = await request();
  const { id } = await payments.createSetupSession(asked);
  await stripe.completeSession(id);
  return { customer: asked.customer, setup: setupOf(id) };
}
const setupOf = (session: string) => ({ setup: stripe.account.sessions.get(session)!.setup_intent! });
const defaultOf = (customer: string) =>
  stripe.account.customers.get(customer)?.invoice_settings.default_payment_method;
/** Adds a payment method in the portal; returns its id. */
const added = async (customer: string) =>
  ((await stripe.attachMethod(customer)).data.object as { id: string }).id;
const subscriptionsOf = (customer: string) =>
  stripe.account.subscriptions.filter((subscription) => subscription.customer === customer);

describe("a tenant's customer", () => {
  it('is named after it, and the same for requests within a minute', async () => {
    const customer = await payments.createCustomer(tenant);
    expect(stripe.account.customers.get(customer)?.metadata).toEqual({ tenant_id: tenant });
    clock.jump(59_999);
    expect(await payments.createCustomer(tenant)).toBe(customer);
    clock.jump(1);
    const later = await payments.createCustomer(tenant);
    clock.jump(60_000);
    expect(new Set([customer, later, await payments.createCustomer(tenant)]).size).toBe(3);
    expect(await payments.createCustomer(newTenantId())).not.toBe(customer);
  });
});

describe('a session', () => {
  it('to save a payment method is for the customer, and the same for a repeated request', async () => {
    const asked = await request();
    const session = await payments.createSetupSession(asked);
    expect(stripe.account.sessions.get(session.id)).toMatchObject({
      mode: 'setup',
      customer: asked.customer,
      client_reference_id: tenant,
      success_url: urls.success,
      cancel_url: urls.cancel,
      url: session.url,
    });
    expect(await payments.createSetupSession(asked)).toEqual(session);
    const other = await payments.createSetupSession({ ...asked, requestId: `${asked.requestId}b` });
    expect(other.id).not.toBe(session.id);
  });

  it('to pay for credit is of its amount in cents, and no session of the same request for anything else', async () => {
    const asked = await request();
    const credit = { ...asked, amount: 25_000_000 };
    const session = await payments.createCreditSession(credit);
    expect(stripe.account.sessions.get(session.id)).toMatchObject({
      mode: 'payment',
      customer: asked.customer,
      client_reference_id: tenant,
      amount_subtotal: 2500,
      success_url: urls.success,
      cancel_url: urls.cancel,
    });
    expect(await payments.createCreditSession(credit)).toEqual(session);
    expect((await payments.createSetupSession(asked)).id).not.toBe(session.id);
    const centsOf = async (amount: number) => {
      const { id } = await payments.createCreditSession({
        ...asked,
        amount,
        requestId: `${amount}-${requests}`,
      });
      return stripe.account.sessions.get(id)?.amount_subtotal;
    };
    expect([await centsOf(25_004_999), await centsOf(25_005_000)]).toEqual([2500, 2501]);
  });

  it("that Stripe made without a page is Stripe's failure", async () => {
    const server = createServer((_, response) => response.end('{"id":"cs_1","url":null}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const asked = { tenant, customer: 'cus_1', urls, requestId: 'r' };
    await expect(connected({ apiUrl }).createSetupSession(asked)).rejects.toMatchObject({
      code: 'payment_provider_error',
    });
    await closed(server);
  });

  it('of the portal is for the customer', async () => {
    const { customer } = await request();
    expect(await payments.createPortalSession(customer, 'https://example.com/back')).toMatch(
      /\/p\/session\//,
    );
    await expect(payments.createPortalSession('cus_none', 'https://example.com')).rejects.toMatchObject({
      status: 502,
      code: 'payment_provider_error',
      retryable: false,
    });
  });
});

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

describe('usage', () => {
  it('is reported to the meter, in whole seconds, and again is the same', async () => {
    const { customer } = await request();
    const identifier = `call_${tenant}`;
    const at = clock.now() - 1;
    await payments.reportUsage({ customer, value: 48_000, identifier, at });
    await payments.reportUsage({ customer, value: 48_000, identifier, at });
    expect(stripe.account.meterEvents.filter((event) => event.identifier === identifier)).toMatchObject([
      {
        event_name: 'voice_agent_usage',
        timestamp: Math.floor(at / 1000),
        payload: { stripe_customer_id: customer, value: '48000' },
      },
    ]);
  });

  it('that is refused for any other reason fails', async () => {
    const report = { customer: 'cus_none', value: 1, identifier: `call_${tenant}`, at: clock.now() };
    await expect(payments.reportUsage(report)).rejects.toMatchObject({ code: 'payment_provider_error' });
    const { customer } = await request();
    const noMeter = connected({ meterEventName: 'none' });
    await expect(noMeter.reportUsage({ ...report, customer })).rejects.toMatchObject({ status: 502 });
  });
});

describe('billing', () => {
  it('begins with the saved payment method and one subscription, however often and at once', async () => {
    const { customer, setup } = await saved();
    await Promise.all([payments.beginBilling(customer, setup), payments.beginBilling(customer, setup)]);
    await payments.beginBilling(customer, setup);
    const [method] = stripe.account.methodsOf(customer);
    expect(stripe.account.customers.get(customer)?.invoice_settings.default_payment_method).toBe(method!.id);
    expect(subscriptionsOf(customer)).toMatchObject([{ price: 'price_usage' }]);
    // With another method, the subscription goes on.
    const again = await payments.createSetupSession({
      tenant,
      customer,
      urls,
      requestId: `again-${requests}`,
    });
    await stripe.completeSession(again.id);
    await payments.beginBilling(customer, setupOf(again.id));
    expect(subscriptionsOf(customer)).toHaveLength(1);
    const latest = stripe.account.methodsOf(customer).at(-1);
    expect(stripe.account.customers.get(customer)?.invoice_settings.default_payment_method).toBe(latest!.id);
  });

  it('begins once with a method that is reported as attached and by its session at the same time', async () => {
    const { customer, setup } = await saved();
    const method = { method: stripe.account.methodsOf(customer)[0]!.id };
    const begun = [setup, method, setup, method].map((each) => payments.beginBilling(customer, each));
    expect(await Promise.all(begun)).toEqual([true, true, true, true]);
    expect(subscriptionsOf(customer)).toHaveLength(1);
  });

  it('stays with the default when another method is added, and with that of a setup in either order', async () => {
    const { customer, setup } = await saved();
    await payments.beginBilling(customer, setup);
    const first = defaultOf(customer);
    const second = await added(customer);
    expect(await payments.beginBilling(customer, { method: second })).toBe(true);
    expect(defaultOf(customer)).toBe(first);
    expect(subscriptionsOf(customer)).toHaveLength(1);
    for (const isAttachedFirst of [true, false]) {
      const { id } = await payments.createSetupSession({
        tenant,
        customer,
        urls,
        requestId: `${isAttachedFirst}-${requests}`,
      });
      await stripe.completeSession(id);
      const method = stripe.account.methodsOf(customer).at(-1)!.id;
      const notices = isAttachedFirst ? [{ method }, setupOf(id)] : [setupOf(id), { method }];
      for (const notice of notices) await payments.beginBilling(customer, notice);
      expect(defaultOf(customer)).toBe(method);
    }
  });

  it('goes on by the latest method that is left when the default is removed, and by no other', async () => {
    const { customer, setup } = await saved();
    await payments.beginBilling(customer, setup);
    const first = defaultOf(customer)!;
    const [second, third] = [await added(customer), await added(customer)];
    await stripe.detachMethod(third);
    expect(await payments.restoreDefaultMethod(customer)).toBe(true);
    expect(defaultOf(customer)).toBe(first);
    await stripe.detachMethod(first);
    expect(defaultOf(customer)).toBeNull();
    expect(await payments.restoreDefaultMethod(customer)).toBe(true);
    expect(defaultOf(customer)).toBe(second);
    const [fourth, fifth] = [await added(customer), await added(customer)];
    await stripe.detachMethod(second);
    await payments.restoreDefaultMethod(customer);
    expect(defaultOf(customer)).toBe(fifth);
    for (const left of [fourth, fifth]) await stripe.detachMethod(left);
    expect(await payments.restoreDefaultMethod(customer)).toBe(false);
    expect(defaultOf(customer)).toBeNull();
  });

  it('does not begin with a method that is gone by now, and stays with the one that is there', async () => {
    const { customer, setup } = await saved();
    const method = { method: stripe.account.methodsOf(customer)[0]!.id };
    await stripe.detachMethods(customer);
    await stripe.attachMethod(customer);
    const [other] = stripe.account.methodsOf(customer);
    await payments.beginBilling(customer, { method: other!.id });
    for (const each of [setup, method]) expect(await payments.beginBilling(customer, each)).toBe(false);
    expect(stripe.account.customers.get(customer)?.invoice_settings.default_payment_method).toBe(other!.id);
  });

  it('is by a subscription that runs, and begins anew after its end', async () => {
    const { customer, setup } = await saved();
    expect(await payments.hasSubscription(customer)).toBe(false);
    expect(await connected({ priceId: undefined }).hasSubscription(customer)).toBe(true);
    await payments.beginBilling(customer, setup);
    expect(await payments.hasSubscription(customer)).toBe(true);
    await stripe.cancelSubscriptions(customer);
    expect(await payments.hasSubscription(customer)).toBe(false);
    await stripe.attachMethod(customer);
    await payments.beginBilling(customer, { method: stripe.account.methodsOf(customer)[1]!.id });
    expect(await payments.hasSubscription(customer)).toBe(true);
  });

  it('makes no subscription where there is no price: those are made elsewhere', async () => {
    const { customer, setup } = await saved();
    await connected({ priceId: undefined }).beginBilling(customer, setup);
    expect(stripe.account.customers.get(customer)?.invoice_settings.default_payment_method).not.toBeNull();
    expect(subscriptionsOf(customer)).toEqual([]);
  });

  it('does not begin before a method is saved', async () => {
    const asked = await request();
    const { id } = await payments.createSetupSession(asked);
    expect(await payments.beginBilling(asked.customer, setupOf(id))).toBe(false);
    expect(stripe.account.customers.get(asked.customer)?.invoice_settings.default_payment_method).toBeNull();
    expect(subscriptionsOf(asked.customer)).toEqual([]);
  });

  it('knows whether a customer has a payment method now', async () => {
    const { customer: other } = await request();
    expect(await payments.hasPaymentMethod(other)).toBe(false);
    clock.jump(60_000);
    const { customer } = await saved();
    expect(await payments.hasPaymentMethod(customer)).toBe(true);
    await stripe.detachMethods(customer);
    expect(await payments.hasPaymentMethod(customer)).toBe(false);
  });
});

describe('what Stripe reports', () => {
  const body = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'customer.deleted',
    data: { object: { id: 'cus_1', object: 'customer' } },
  });
  const read = (signature: string | undefined, of = payments, text = body) =>
    of.readNotice(Buffer.from(text), signature, clock.now());
  const signed = (secondsAgo: number, text = body) =>
    signatureOf(text, SECRET, clock.now() - secondsAgo * 1000);

  it('counts when it is signed, within five minutes', () => {
    expect(read(signed(0))).toEqual({ kind: 'customer_removed', id: 'evt_1', customer: 'cus_1' });
    expect(read(signed(300))).toMatchObject({ kind: 'customer_removed' });
  });

  it.each([
    ['without a signature', () => read(undefined)],
    ['signed for something else', () => read(signed(0, '{}'))],
    ['signed more than five minutes ago', () => read(signed(301))],
    ['where no secret is configured', () => read(signed(0), connected({ webhookSecret: undefined }))],
  ])('is refused %s', (_, reading) => {
    expect(reading).toThrow(expect.objectContaining({ status: 401, code: 'invalid_signature' }));
  });

  it('of a subscription counts where it is by our price', () => {
    const object = { customer: 'cus_1', items: { data: [{ price: { id: 'price_usage' } }] } };
    const text = JSON.stringify({ id: 'evt_2', type: 'customer.subscription.deleted', data: { object } });
    const kindOf = (of: StripePayments) => read(signed(0, text), of, text).kind;
    expect([kindOf(payments), kindOf(connected({ priceId: 'price_of_others' }))]).toEqual([
      'subscription_ended',
      'ignored',
    ]);
  });

  it('and cannot be read is not a matter of its signature', () => {
    expect(() => read(signed(0, '{'), payments, '{')).toThrow(SyntaxError);
  });
});

describe('a failure of Stripe', () => {
  const { errors } = Stripe;
  it.each([
    [
      'no answer in time',
      new errors.StripeConnectionError({ message: 'Request timed out' } as never),
      504,
      true,
    ],
    ['a time-out', new errors.StripeConnectionError({ message: 'connection timeout' } as never), 504, true],
    ['no connection', new errors.StripeConnectionError({ message: 'ECONNREFUSED' } as never), 502, true],
    ['too many requests', new errors.StripeRateLimitError({ message: 'slower' } as never), 502, true],
    ["Stripe's own", new errors.StripeAPIError({ message: 'timeout' } as never), 502, true],
    ['a refusal', new errors.StripeInvalidRequestError({ message: 'no such' } as never), 502, false],
    ['anything else', new TypeError('timeout'), 502, false],
  ])('is said with its cause, and whether to try again: %s', (_, cause, status, retryable) => {
    const code = status === 504 ? 'payment_provider_timeout' : 'payment_provider_error';
    expect(paymentFailure(cause)).toMatchObject({ code, status, retryable, cause });
  });
});

describe("the address of Stripe's API", () => {
  it("is Stripe's own where none is configured", () => {
    expect(() => connected({ apiUrl: undefined })).not.toThrow();
  });

  it.each([
    ['https://stripe.example.com', { protocol: 'https', host: 'stripe.example.com', port: 443 }],
    ['http://localhost', { protocol: 'http', host: 'localhost', port: 80 }],
    ['http://127.0.0.1:8080', { protocol: 'http', host: '127.0.0.1', port: 8080 }],
    ['https://stripe.example.com:8443/', { protocol: 'https', host: 'stripe.example.com', port: 8443 }],
  ])('goes to the SDK in parts: %s', (url, parts) => {
    expect(addressOf(url)).toEqual(parts);
  });
});
