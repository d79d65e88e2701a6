import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import { Counter, Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BillingMode } from '../config.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import type { AccountChange } from './account-state.js';
import { settleEntry } from './charge.js';
import { type CustomerModel, customerModel } from './customer-model.js';
import { retryDelay } from './meter-reports.js';
import { Metering, meterIdentifier } from './metering.js';
import { type OverdraftModel, type OverdraftRow, overdraftModel } from './overdraft-model.js';
import { ledgerOn } from './testing/ledgers.js';
import { RecordedEvents } from './testing/recorded-events.js';
import { ScriptedPayments } from './testing/scripted-payments.js';
import { usageRow } from './testing/usage-rows.js';
import { type UsageModel, type UsageRow, usageModel } from './usage-model.js';

const DAY_MS = 24 * 60 * 60 * 1000;

let store: TestStore;
let connection: Connection;
let usage: UsageModel;
let overdrafts: OverdraftModel;
let customers: CustomerModel;
let payments: ScriptedPayments;
let tenant: TenantId;
let outcomes: Counter<'outcome'>;
/** Answers to whether the tenant has a payment method, one after the other; the last one stays. */
let methods: boolean[];
const clock = new ScriptedClock();

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  usage = usageModel(connection);
  overdrafts = overdraftModel(connection);
  customers = customerModel(connection);
});
afterAll(() => store?.close());
beforeEach(async () => {
  clock.jump(DAY_MS);
  payments = new ScriptedPayments();
  tenant = newTenantId();
  methods = [true];
  outcomes = new Counter({
    name: 'outcomes',
    help: '.',
    labelNames: ['outcome'],
    registers: [new Registry()],
  });
  await usage.deleteMany({});
  await overdrafts.deleteMany({});
});

const replica = (billing: BillingMode = 'off', batch?: number) =>
  new Metering({
    ...(batch === undefined ? {} : { batch }),
    usage,
    overdrafts,
    customers,
    payments,
    billing,
    hasPaymentMethod: async () => (methods.length > 1 ? methods.shift()! : methods[0]!),
    clock,
    log: silentLog,
    outcomes,
  });
const newCustomer = () =>
  customers.insertMany([{ _id: tenant, customer_id: `cus_${tenant}`, created_at: new Date(0) }]);
/** A record of the tenant's, ended now. */
async function recorded(fields: Partial<UsageRow> = {}): Promise<string> {
  const row = usageRow({ tenant_id: tenant, ended_at: new Date(clock.now()), ...fields });
  await usage.collection.insertOne(row as never);
  return row._id;
}
const pending = (fields: Partial<UsageRow> = {}) =>
  recorded({ meter_state: 'pending', meter_value: 700, meter_due_at: new Date(clock.now()), ...fields });
const rowOf = (id: string) => usage.findById(id).orFail().lean<UsageRow>();
const counted = async () =>
  Object.fromEntries((await outcomes.get()).values.map(({ labels, value }) => [labels.outcome, value]));

describe('the wait before the next try', () => {
  it.each([
    [0, 5_000],
    [1, 5_000],
    [2, 10_000],
    [3, 20_000],
    [10, 2_560_000],
    [11, 3_600_000],
    [50, 3_600_000],
  ])('doubles from five seconds to an hour: after %i', (attempts, ms) => {
    expect(retryDelay(attempts)).toBe(ms);
  });
});

describe('the usage of a customer', () => {
  it('is reported at once, as of the end of its call, under an identifier of the call', async () => {
    await newCustomer();
    const endedAt = clock.now() - 5000;
    const id = await recorded({ ended_at: new Date(endedAt) });
    const metering = replica();
    await metering.plan(tenant, id, 1234);
    await metering.settled();
    const report = { customer: `cus_${tenant}`, value: 1234, identifier: `call_${id}`, at: endedAt };
    expect(payments.reports).toEqual([report]);
    const sent = { meter_state: 'sent', meter_value: 1234, meter_attempts: 1, meter_due_at: null };
    expect(await rowOf(id)).toMatchObject(sent);
    expect(await counted()).toEqual({ sent: 1 });
  });

  it('is left to the sweep where twenty reports are under way', async () => {
    await newCustomer();
    const ids = await Promise.all(Array.from({ length: 22 }, () => recorded()));
    let begun = 0;
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    payments.beforeReport = () => {
      begun++;
      return ended;
    };
    const metering = replica();
    await Promise.all(ids.map((id) => metering.plan(tenant, id, 700)));
    await expect.poll(() => begun).toBe(20);
    end();
    await metering.settled();
    expect(payments.reports).toHaveLength(20);
    await metering.sweep();
    expect(payments.reports.map(({ identifier }) => identifier).toSorted()).toEqual(
      ids.map(meterIdentifier).toSorted(),
    );
  });

  it('is planned once', async () => {
    await newCustomer();
    const metering = replica();
    const id = await recorded();
    await metering.plan(tenant, id, 1234);
    await metering.settled();
    await metering.plan(tenant, id, 99);
    await metering.settled();
    expect(payments.reports).toHaveLength(1);
    expect(await rowOf(id)).toMatchObject({ meter_state: 'sent', meter_value: 1234 });
  });

  it('of somebody else is left alone', async () => {
    await newCustomer();
    const id = await recorded({ tenant_id: newTenantId() });
    const metering = replica();
    await metering.plan(tenant, id, 5);
    await metering.settled();
    expect(await rowOf(id)).toMatchObject({ meter_state: 'none', meter_value: 0 });
    expect(payments.reports).toEqual([]);
  });

  it('of a tenant who is no customer is noted, and not reported', async () => {
    const id = await recorded();
    const metering = replica();
    await metering.plan(tenant, id, 1234);
    await metering.settled();
    await metering.sweep();
    expect(payments.reports).toEqual([]);
    const noted = { meter_state: 'no_customer', meter_value: 1234, meter_attempts: 0 };
    expect(await rowOf(id)).toMatchObject(noted);
  });

  it('of a customer who is gone meanwhile is not reported any more', async () => {
    const id = await pending();
    await replica().sweep();
    expect(await rowOf(id)).toMatchObject({ meter_state: 'no_customer', meter_due_at: null });
    expect(payments.reports).toEqual([]);
  });

  it('needs no payment method where billing is off', async () => {
    await newCustomer();
    methods = [false];
    const id = await recorded();
    const metering = replica('off');
    await metering.plan(tenant, id, 5);
    await metering.settled();
    expect(await rowOf(id)).toMatchObject({ meter_state: 'sent' });
  });
});

describe('where billing is required', () => {
  it('waits for the payment method, and is billed as of that day, without the sandbox and other tenants', async () => {
    await newCustomer();
    methods = [false];
    const metering = replica('required');
    const id = await recorded();
    await metering.plan(tenant, id, 5);
    const others = await Promise.all([
      recorded({ meter_state: 'no_customer', sandbox: true }),
      recorded({ meter_state: 'no_customer', tenant_id: newTenantId() }),
      recorded({ meter_state: 'sent' }),
    ]);
    expect(await rowOf(id)).toMatchObject({ meter_state: 'no_customer', meter_value: 5 });
    clock.jump(40 * DAY_MS);
    await metering.billEarlier(tenant);
    await metering.sweep();
    expect(payments.reports).toMatchObject([{ identifier: meterIdentifier(id), at: clock.now(), value: 5 }]);
    const states = await Promise.all(others.map(async (other) => (await rowOf(other)).meter_state));
    expect(states).toEqual(['no_customer', 'no_customer', 'sent']);
  });

  it('is billed when the payment method came just then', async () => {
    await newCustomer();
    methods = [false, true];
    const metering = replica('required');
    const id = await recorded();
    await metering.plan(tenant, id, 5);
    expect(await rowOf(id)).toMatchObject({ meter_state: 'pending', meter_at: new Date(clock.now()) });
  });

  it('is reported at once with a payment method, as of now: that may have come after the end of the call', async () => {
    await newCustomer();
    const metering = replica('required');
    const id = await recorded({ ended_at: new Date(clock.now() - 90_000) });
    await metering.plan(tenant, id, 5);
    await metering.settled();
    expect(await rowOf(id)).toMatchObject({ meter_state: 'sent' });
    expect(payments.reports).toMatchObject([{ identifier: meterIdentifier(id), at: clock.now() }]);
  });
});

describe('an overdraft', () => {
  const overdraftOf = (entry: string) => overdrafts.findById(entry).orFail().lean<OverdraftRow>();

  it('is reported at once, as of now, under an identifier of its entry', async () => {
    await newCustomer();
    const entry = newId();
    const metering = replica();
    await metering.planOverdraft(tenant, entry, 59);
    await metering.settled();
    const report = {
      customer: `cus_${tenant}`,
      value: 59,
      identifier: `overdraft_${entry}`,
      at: clock.now(),
    };
    expect(payments.reports).toEqual([report]);
    expect(await overdraftOf(entry)).toMatchObject({ meter_state: 'sent', meter_due_at: null });
    expect(await counted()).toEqual({ sent: 1 });
  });

  it('that the payment provider does not take is tried again, each time later, for 34 days', async () => {
    await newCustomer();
    payments.beforeReport = () => Promise.reject(new Error('out of order'));
    const [entry, metering] = [newId(), replica()];
    await metering.planOverdraft(tenant, entry, 59);
    await metering.settled();
    const tried = { meter_state: 'pending', meter_attempts: 1 };
    expect(await overdraftOf(entry)).toMatchObject({ ...tried, meter_due_at: new Date(clock.now() + 5000) });
    clock.jump(5000);
    await metering.sweep();
    const again = { meter_attempts: 2, meter_due_at: new Date(clock.now() + 10_000) };
    expect(await overdraftOf(entry)).toMatchObject(again);
    clock.jump(34 * DAY_MS);
    await metering.sweep();
    expect(await overdraftOf(entry)).toMatchObject({ meter_state: 'expired', meter_due_at: null });
    expect(await counted()).toEqual({ failed: 2, expired: 1 });
  });

  it('is noted once, however often its entry is settled', async () => {
    await newCustomer();
    const entry = newId();
    for (const metering of [replica(), replica()]) {
      await metering.planOverdraft(tenant, entry, 59);
      await metering.settled();
    }
    expect(await overdrafts.countDocuments({ tenant_id: tenant })).toBe(1);
    expect(payments.reports).toHaveLength(1);
  });

  it('is reported once, also where a replica that knows nothing of it finishes its entry', async () => {
    await newCustomer();
    const metering = replica('required');
    const knowing = ledgerOn(connection, clock, {
      onPosted: (entry) => settleEntry({ events: new RecordedEvents(), metering }, entry),
    });
    const unknowing = ledgerOn(connection, clock, { onPosted: async () => {} });
    const enter = (change: AccountChange, id = newId()) => knowing.enter(tenant, id, change);
    await enter({ kind: 'credit', amount: 10, reason: '' });
    await enter({ kind: 'usage', callId: newId(), cost: 25 });
    payments.beforeReport = () => Promise.reject(new Error('out of order'));
    const entry = newId();
    await enter({ kind: 'payment_method', ready: true }, entry);
    await metering.settled();
    clock.jump(5000);
    await unknowing.sweep();
    expect(payments.reports).toEqual([]);
    payments.beforeReport = async () => {};
    await Promise.all([metering.sweep(), replica('required').sweep()]);
    // Reported again by the payment provider, and by another of its events.
    await enter({ kind: 'payment_method', ready: true }, entry);
    await enter({ kind: 'payment_method', ready: true });
    await metering.settled();
    clock.jump(5000);
    await metering.sweep();
    expect(payments.reports).toMatchObject([{ value: 15, identifier: `overdraft_${entry}` }]);
    expect(await knowing.stateOf(tenant)).toMatchObject({ credit: 0, totalSpent: 25 });
  });

  it('of a customer who is gone meanwhile waits for the next payment method', async () => {
    const [entry, metering] = [newId(), replica()];
    await metering.planOverdraft(tenant, entry, 59);
    await metering.settled();
    expect(await overdraftOf(entry)).toMatchObject({ meter_state: 'no_customer', meter_due_at: null });
    await metering.planOverdraft(newTenantId(), newId(), 7);
    await metering.settled();
    await newCustomer();
    clock.jump(40 * DAY_MS);
    await metering.billEarlier(tenant);
    await metering.sweep();
    expect(payments.reports).toMatchObject([
      { identifier: `overdraft_${entry}`, value: 59, at: clock.now() },
    ]);
  });

  it('is no usage of calls', async () => {
    await newCustomer();
    const metering = replica();
    await metering.planOverdraft(tenant, newId(), 59);
    await metering.settled();
    expect(await usage.countDocuments({ tenant_id: tenant })).toBe(0);
  });
});

it('where billing is off, nothing earlier is billed', async () => {
  const id = await recorded({ meter_state: 'no_customer' });
  await replica('off').billEarlier(tenant);
  expect((await rowOf(id)).meter_state).toBe('no_customer');
});

describe('the sweep', () => {
  it('reports what is due, and nothing before', async () => {
    await newCustomer();
    const due = await pending();
    const later = await pending({ meter_due_at: new Date(clock.now() + 1) });
    await replica().sweep();
    expect(payments.reports.map(({ identifier }) => identifier)).toEqual([meterIdentifier(due)]);
    expect((await rowOf(later)).meter_attempts).toBe(0);
  });

  it('of two replicas at once reports everything once', async () => {
    await newCustomer();
    const ids = [await pending(), await pending()];
    await Promise.all([replica().sweep(), replica().sweep()]);
    expect(payments.reports.map(({ identifier }) => identifier).sort()).toEqual(
      ids.map(meterIdentifier).sort(),
    );
  });

  /** Stores so many records that are due. */
  async function due(count: number): Promise<void> {
    await newCustomer();
    const now = new Date(clock.now());
    const fields = { tenant_id: tenant, ended_at: now, meter_state: 'pending', meter_due_at: now } as const;
    const rows = Array.from({ length: count }, () => usageRow(fields));
    await usage.collection.insertMany(rows as never[]);
  }

  it('reports all that is due, batch by batch, twenty side by side', async () => {
    await due(65);
    let underWay = 0;
    let most = 0;
    payments.beforeReport = async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
    };
    await replica('off', 30).sweep();
    expect(payments.reports).toHaveLength(65);
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThanOrEqual(20);
  });

  it('does not go on against a payment provider that takes nothing', async () => {
    await due(25);
    let asked = 0;
    payments.beforeReport = async () => {
      asked++;
      throw new Error('out of order');
    };
    await replica('off', 10).sweep();
    expect(asked).toBe(10);
  });

  it('tries again what was not taken, each time later', async () => {
    await newCustomer();
    const id = await pending();
    payments.beforeReport = () => Promise.reject(new Error('out of order'));
    await replica().sweep();
    const tried = { meter_state: 'pending', meter_attempts: 1 };
    expect(await rowOf(id)).toMatchObject({ ...tried, meter_due_at: new Date(clock.now() + 5000) });
    clock.jump(4999);
    await replica().sweep();
    expect(await rowOf(id)).toMatchObject(tried);
    clock.jump(1);
    await replica().sweep();
    const again = { meter_attempts: 2, meter_due_at: new Date(clock.now() + 10_000) };
    expect(await rowOf(id)).toMatchObject(again);
    payments.beforeReport = async () => {};
    clock.jump(10_000);
    await replica().sweep();
    expect(await rowOf(id)).toMatchObject({ meter_state: 'sent', meter_attempts: 3 });
    expect(await counted()).toEqual({ failed: 2, sent: 1 });
  });

  it('leaves to another replica what it is reporting, for ninety seconds', async () => {
    await newCustomer();
    const id = await recorded();
    const report = payments.holdReport();
    const dead = replica();
    await dead.plan(tenant, id, 700);
    await report.begun;
    const other = replica();
    clock.jump(89_999);
    await other.sweep();
    expect((await rowOf(id)).meter_attempts).toBe(1);
    payments.beforeReport = async () => {};
    clock.jump(1);
    await other.sweep();
    expect(await rowOf(id)).toMatchObject({ meter_state: 'sent', meter_attempts: 2 });
    report.end();
    await dead.settled();
    expect(await rowOf(id)).toMatchObject({ meter_state: 'sent', meter_due_at: null });
  });

  it('gives up what the payment provider takes no more: older than 34 days', async () => {
    await newCustomer();
    const old = await pending({ ended_at: new Date(clock.now() - 34 * DAY_MS - 1) });
    const last = await pending({ ended_at: new Date(clock.now() - 34 * DAY_MS) });
    await replica().sweep();
    expect(await rowOf(old)).toMatchObject({ meter_state: 'expired', meter_due_at: null });
    expect(payments.reports.map(({ identifier }) => identifier)).toEqual([meterIdentifier(last)]);
    expect(await counted()).toEqual({ expired: 1, sent: 1 });
  });
});

it('is settled when the last report is', async () => {
  await newCustomer();
  const id = await recorded();
  const report = payments.holdReport();
  const metering = replica();
  await metering.plan(tenant, id, 700);
  await report.begun;
  let isSettled = false;
  const settled = metering.settled().then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  report.end();
  await settled;
  expect((await rowOf(id)).meter_state).toBe('sent');
});
