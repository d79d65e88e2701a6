import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureIndexes, startTestStore, type TestStore } from '../testing/store.js';
import { Accounts } from './accounts.js';
import { Checkout } from './checkout.js';
import { type CustomerModel, customerModel } from './customer-model.js';
import type { PaymentNotice } from './payments/port.js';
import { ledgerOn } from './testing/ledgers.js';
import { RecordedEvents } from './testing/recorded-events.js';
import { ScriptedPayments } from './testing/scripted-payments.js';

let store: TestStore;
let customers: CustomerModel;
let accounts: Accounts;
let payments: ScriptedPayments;
let checkout: Checkout;
let tenant: TenantId;
let billedEarlier: TenantId[];
const clock = new ScriptedClock();

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  customers = customerModel(connection);
  accounts = new Accounts({
    ledger: ledgerOn(connection, clock),
    held: async () => 0,
    billing: 'required',
    events: new RecordedEvents(),
    clock,
  });
  await ensureIndexes(connection);
});
afterAll(() => store?.close());
beforeEach(() => {
  tenant = newTenantId();
  payments = new ScriptedPayments();
  billedEarlier = [];
  checkout = by(payments);
});

const by = (provider: ScriptedPayments | undefined) =>
  new Checkout({
    customers,
    accounts,
    payments: provider,
    billEarlier: async (of) => void billedEarlier.push(of),
    publicUrl: () => 'https://voice.example.com',
    clock,
  });
const customerOf = async () => (await customers.findById(tenant).lean())?.customer_id;
/** Makes the tenant a customer. */
const newCustomer = async () => {
  await checkout.setup(tenant, newId(), {});
  return (await customerOf())!;
};
const reported = (notice: PaymentNotice) => {
  payments.notice = notice;
  return checkout.take(Buffer.from('{}'), 'signature');
};

describe('setting up billing', () => {
  it('makes the tenant a customer, once, and sends it to a page that leads back to the page of payment', async () => {
    const session = { checkout_url: 'https://pay.example.com/setup', url: 'https://pay.example.com/setup' };
    expect(await checkout.setup(tenant, 'r1', {})).toEqual({ session_id: 'cs_r1', ...session });
    const customer = await customerOf();
    expect(customer).toContain(tenant);
    await checkout.setup(tenant, 'r2', { success_url: 'https://a.example.com' });
    const billing = 'https://voice.example.com/dashboard/billing?mode=live';
    const cancel = `${billing}&billing=cancelled`;
    expect(payments.setups).toEqual([
      { tenant, customer, urls: { success: `${billing}&billing=success`, cancel }, requestId: 'r1' },
      { tenant, customer, urls: { success: 'https://a.example.com', cancel }, requestId: 'r2' },
    ]);
    expect(payments.customers).toBe(1);
    const row = await customers.findById(tenant).lean();
    expect(row).toEqual({ _id: tenant, customer_id: customer, created_at: new Date(clock.now()) });
  });

  it('leads back to where the request says', async () => {
    await checkout.setup(tenant, 'r', { cancel_url: 'https://b.example.com' });
    expect(payments.setups[0]?.urls.cancel).toBe('https://b.example.com');
  });

  it('keeps the customer that another replica made at the same time', async () => {
    payments.beforeCustomer = async () => {
      await customers.insertMany([{ _id: tenant, customer_id: 'cus_first', created_at: new Date(0) }]);
    };
    await checkout.setup(tenant, 'r', {});
    expect(payments.setups[0]?.customer).toBe('cus_first');
    expect(await customerOf()).toBe('cus_first');
  });

  it('fails when the store does', async () => {
    const insertMany = () => Promise.reject(new Error('the store is gone'));
    const broken = { findOne: () => ({ lean: async () => null }), insertMany };
    const failing = new Checkout({
      customers: broken as never,
      accounts,
      payments,
      billEarlier: async () => {},
      publicUrl: () => '',
      clock,
    });
    await expect(failing.setup(tenant, 'r', {})).rejects.toThrow('the store is gone');
  });
});

describe('paying for a plan', () => {
  it.each([
    ['starter', 25],
    ['growth', 100],
    ['scale', 500],
  ] as const)('%s is so much credit: %i USD', async (plan, usd) => {
    const session = { checkout_url: 'https://pay.example.com/credit', url: 'https://pay.example.com/credit' };
    expect(await checkout.buy(tenant, 'r', {}, plan)).toEqual({ session_id: 'cs_r', ...session });
    const asked = { tenant, customer: await customerOf(), requestId: 'r', amount: usd * 1_000_000 };
    expect(payments.credits).toMatchObject([asked]);
  });
});

describe('the portal', () => {
  it('is for customers, and leads back to the page of payment', async () => {
    await expect(checkout.portal(tenant)).rejects.toMatchObject({
      status: 409,
      code: 'payment_customer_missing',
    });
    const customer = await newCustomer();
    expect(await checkout.portal(tenant)).toBe(
      `https://pay.example.com/portal/${customer}?back=https://voice.example.com/dashboard/billing?mode=live`,
    );
  });
});

it('without a payment provider there is no page, and nothing that it could report', async () => {
  await newCustomer();
  const none = by(undefined);
  const missing = { status: 503, code: 'payment_provider_not_configured' };
  await expect(none.setup(tenant, 'r', {})).rejects.toMatchObject(missing);
  await expect(none.buy(tenant, 'r', {}, 'starter')).rejects.toMatchObject(missing);
  await expect(none.portal(tenant)).rejects.toMatchObject(missing);
  const unsigned = { status: 401, code: 'invalid_signature' };
  await expect(none.take(Buffer.from('{}'), 'signature')).rejects.toMatchObject(unsigned);
});

describe('what the payment provider reports', () => {
  it('is read with its signature, at the time that it is', async () => {
    await checkout.take(Buffer.from('{"a":1}'), 't=1');
    expect(payments.read).toEqual({ rawBody: '{"a":1}', signature: 't=1', now: clock.now() });
  });

  it('and does not concern us, or a tenant of ours, is ignored', async () => {
    await newCustomer();
    const ignored = { kind: 'ignored', id: 'evt_1', type: 'invoice.paid' } as const;
    expect(await reported(ignored)).toBe('ignored');
    const customer = 'cus_of_others';
    payments.withMethod.add(customer);
    expect(await reported({ kind: 'method_saved', id: 'evt_2', customer, saved: { setup: 'seti' } })).toBe(
      'ignored',
    );
    expect([payments.begun, billedEarlier]).toEqual([[], []]);
  });

  it('and does not concern us asks nothing of the store', async () => {
    const unasked = new Checkout({
      customers: {} as never,
      accounts,
      payments,
      billEarlier: async () => {},
      publicUrl: () => '',
      clock,
    });
    expect(await unasked.take(Buffer.from('{}'), 'signature')).toBe('ignored');
  });

  it('a saved payment method begins billing, and bills what was before', async () => {
    const customer = await newCustomer();
    payments.withMethod.add(customer);
    const notice = { kind: 'method_saved', id: 'evt_1', customer, saved: { setup: 'seti_1' } } as const;
    expect(await reported(notice)).toBe('method_saved');
    expect(await accounts.stateOf(tenant)).toMatchObject({ paymentMethod: true });
    expect([payments.begun, billedEarlier]).toEqual([[[customer, { setup: 'seti_1' }]], [tenant]]);
  });

  it('a saved payment method that is gone by now begins nothing', async () => {
    const customer = await newCustomer();
    await reported({ kind: 'method_saved', id: 'evt_1', customer, saved: { setup: 'seti_1' } });
    expect(await accounts.stateOf(tenant)).toMatchObject({ paymentMethod: false });
    expect([payments.begun, billedEarlier]).toEqual([[], []]);
  });

  it('a removed payment method ends it, unless there is another', async () => {
    const customer = await newCustomer();
    payments.withMethod.add(customer);
    await reported({ kind: 'method_saved', id: 'evt_1', customer, saved: { setup: 'seti_1' } });
    expect(await reported({ kind: 'method_removed', id: 'evt_2', customer })).toBe('method_removed');
    expect(await accounts.stateOf(tenant)).toMatchObject({ paymentMethod: true });
    expect([payments.begun.length, payments.restored]).toEqual([1, [customer]]);
    payments.withMethod.clear();
    await reported({ kind: 'method_removed', id: 'evt_3', customer });
    expect(await accounts.stateOf(tenant)).toMatchObject({ paymentMethod: false });
  });

  it('a payment method that was added and is gone by now leaves the account as another one made it', async () => {
    const customer = await newCustomer();
    payments.withMethod.add(customer);
    payments.gone.add('pm_1');
    await reported({ kind: 'method_saved', id: 'evt_1', customer, saved: { method: 'pm_1' } });
    expect(await accounts.stateOf(tenant)).toMatchObject({ paymentMethod: false });
    await reported({ kind: 'method_saved', id: 'evt_2', customer, saved: { method: 'pm_2' } });
    await reported({ kind: 'method_saved', id: 'evt_3', customer, saved: { method: 'pm_1' } });
    expect(await accounts.stateOf(tenant)).toMatchObject({ paymentMethod: true });
    expect([payments.begun, billedEarlier]).toEqual([[[customer, { method: 'pm_2' }]], [tenant]]);
  });

  it('the end of the subscription ends it, unless another one runs, and no removed method brings it back', async () => {
    const customer = await newCustomer();
    payments.withMethod.add(customer);
    await reported({ kind: 'method_saved', id: 'evt_1', customer, saved: { setup: 'seti_1' } });
    expect(await reported({ kind: 'subscription_ended', id: 'evt_2', customer })).toBe('subscription_ended');
    expect(await accounts.stateOf(tenant)).toMatchObject({ paymentMethod: true });
    payments.subscribed.clear();
    await reported({ kind: 'subscription_ended', id: 'evt_3', customer });
    await reported({ kind: 'method_removed', id: 'evt_4', customer });
    expect(await accounts.stateOf(tenant)).toMatchObject({ paymentMethod: false });
    await reported({ kind: 'method_saved', id: 'evt_5', customer, saved: { method: 'pm_2' } });
    expect(await accounts.stateOf(tenant)).toMatchObject({ paymentMethod: true });
  });

  it('a customer that is deleted leaves the tenant none, without a payment method', async () => {
    const customer = await newCustomer();
    payments.withMethod.add(customer);
    await reported({ kind: 'method_saved', id: 'evt_1', customer, saved: { setup: 'seti_1' } });
    expect(await reported({ kind: 'customer_removed', id: 'evt_2', customer })).toBe('customer_removed');
    expect(await accounts.stateOf(tenant)).toMatchObject({ paymentMethod: false });
    expect(await customerOf()).toBeUndefined();
  });

  it('a payment is credit, once however often it is reported', async () => {
    const customer = await newCustomer();
    const paid = { kind: 'credit_paid', customer, session: `cs_${tenant}`, amount: 25_000_000 } as const;
    expect(await reported({ ...paid, id: 'evt_1' })).toBe('credit_paid');
    await reported({ ...paid, id: 'evt_2' });
    expect(await accounts.stateOf(tenant)).toMatchObject({ credit: 25_000_000, paymentMethod: false });
    await reported({ ...paid, id: 'evt_3', session: `cs_${tenant}_2` });
    expect(await accounts.stateOf(tenant)).toMatchObject({ credit: 50_000_000 });
  });
});
