import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { derivedId, newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BillingMode } from '../config.js';
import { startTestStore, type TestStore } from '../testing/store.js';
import { Accounts } from './accounts.js';
import type { Ledger } from './ledger.js';
import { publishNotices } from './notices.js';
import { ledgerOn } from './testing/ledgers.js';
import { RecordedEvents } from './testing/recorded-events.js';

let store: TestStore;
let connection: Connection;
let ledger: Ledger;
let events: RecordedEvents;
let tenant: TenantId;
let clock: ScriptedClock;

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
});
afterAll(() => store?.close());
beforeEach(() => {
  clock = new ScriptedClock();
  ledger = ledgerOn(connection, clock);
  tenant = newTenantId();
  events = new RecordedEvents();
});

const accountsOf = (billing: BillingMode = 'off', held = 0) =>
  new Accounts({ ledger, held: async () => held, billing, events, clock });
const spend = async (cost: number, callId = newId()) => {
  const entry = await ledger.enter(tenant, callId, { kind: 'usage', callId, cost });
  await publishNotices(events, entry);
  return callId;
};

describe('an account', () => {
  it('is shown in USD, with what is held', async () => {
    const accounts = accountsOf('off', 1_500_000);
    await accounts.addCredit(tenant, 'a', 5_000_000, '');
    await accounts.setDailyCap(tenant, 'b', 3_000_000);
    await accounts.setPaymentMethod(tenant, 'c', true);
    await spend(250_000);
    expect(await accounts.present(tenant)).toEqual({
      tenant_id: tenant,
      credit_usd: 4.75,
      payment_method: true,
      daily_cap_usd: 3,
      spent_today_usd: 0.25,
      spent_usd: 0.25,
      held_usd: 1.5,
      refusal: null,
    });
    clock.jump(24 * 60 * 60 * 1000);
    expect(await accounts.present(tenant)).toMatchObject({ spent_today_usd: 0, spent_usd: 0.25 });
  });

  it('that is new has neither credit nor cap', async () => {
    const empty = {
      credit_usd: null,
      daily_cap_usd: null,
      payment_method: false,
      spent_usd: 0,
      refusal: null,
    };
    expect(await accountsOf('off').present(tenant)).toMatchObject(empty);
    const refused = { ...empty, refusal: 'payment_method_required' };
    expect(await accountsOf('required').present(tenant)).toMatchObject(refused);
  });

  it('says why it is refused, by what is held of it, too', async () => {
    await accountsOf().addCredit(tenant, 'a', 1000, '');
    expect(await accountsOf('off', 999).present(tenant)).toMatchObject({ refusal: null });
    expect(await accountsOf('off', 1000).present(tenant)).toMatchObject({ refusal: 'credit_exhausted' });
  });

  it('takes each change once under its name, whatever changes otherwise', async () => {
    const accounts = accountsOf();
    await accounts.addCredit(tenant, 'same', 1000, '');
    await accounts.addCredit(tenant, 'same', 1000, '');
    await accounts.setDailyCap(tenant, 'same', 50);
    await accounts.setDailyCap(tenant, 'same', 60);
    await accounts.setPaymentMethod(tenant, 'same', true);
    await accounts.setPaymentMethod(tenant, 'same', false);
    expect(await accounts.stateOf(tenant)).toMatchObject({ credit: 1000, dailyCap: 50, paymentMethod: true });
    await accounts.addCredit(tenant, 'other', 1, '');
    await accounts.setDailyCap(tenant, 'other', null);
    await accounts.setPaymentMethod(tenant, 'other', false);
    expect(await accounts.stateOf(tenant)).toMatchObject({
      credit: 1001,
      dailyCap: null,
      paymentMethod: false,
    });
  });

  it("is the tenant's own under a name that others use as well", async () => {
    const accounts = accountsOf();
    await accounts.addCredit(newTenantId(), 'free', 1000, '');
    await accounts.addCredit(tenant, 'free', 7, '');
    expect(await accounts.stateOf(tenant)).toMatchObject({ credit: 7 });
  });
});

describe('what a tenant is sent about its account', () => {
  it('is the end of its credit, in advance and then, of each grant anew', async () => {
    const accounts = accountsOf();
    const at = clock.now();
    await accounts.addCredit(tenant, 'a', 100, '');
    await spend(10);
    const first = await spend(50);
    const last = await spend(40);
    await accounts.addCredit(tenant, 'b', 20, '');
    const again = await spend(20);
    const type = 'usage.credit_exhausted';
    const common = { type, tenant, sandbox: false, occurredAt: at };
    // A replica of another version publishes them under the same ids.
    const ids = ['1:in_advance', '1:now', '2:now'].map((name) =>
      derivedId(tenant, `credit_exhausted:${name}`),
    );
    expect(events.all.map(({ id }) => id)).toEqual(ids);
    expect(events.all).toMatchObject([
      { ...common, data: { tenant_id: tenant, last_call_id: first, in_advance: true } },
      { ...common, data: { tenant_id: tenant, last_call_id: last, in_advance: false } },
      { ...common, data: { tenant_id: tenant, last_call_id: again, in_advance: false } },
    ]);
  });

  it('is the approach of its daily cap, each day and for each cap anew, also where the cap is lowered', async () => {
    const accounts = accountsOf();
    await accounts.setDailyCap(tenant, 'a', 100);
    await spend(80);
    await accounts.setDailyCap(tenant, 'b', 90);
    clock.jump(24 * 60 * 60 * 1000);
    await spend(90);
    const days = ['2026-01-05:100', '2026-01-05:90', '2026-01-06:90'];
    expect(events.all.map(({ id }) => id)).toEqual(days.map((day) => derivedId(tenant, `daily_cap:${day}`)));
    const type = 'usage.daily_cap_approaching';
    expect(events.all).toMatchObject([
      { type, tenant, sandbox: false, data: { spent_usd: 0.00008, limit_usd: 0.0001 } },
      { type, data: { spent_usd: 0.00008, limit_usd: 0.00009 } },
      { type, occurredAt: clock.now(), data: { spent_usd: 0.00009, limit_usd: 0.00009 } },
    ]);
  });

  it('names no call where none used the account up', async () => {
    const entry = await ledger.enter(tenant, newId(), { kind: 'credit', amount: 1, reason: '' });
    const notice = { kind: 'credit_exhausted', inAdvance: false, period: 1 } as const;
    await publishNotices(events, { ...entry, notices: [notice] });
    expect(events.all).toMatchObject([{ data: { last_call_id: null } }]);
  });

  it('is the same event however often an entry is published', async () => {
    await accountsOf().addCredit(tenant, 'a', 10, '');
    const callId = await spend(10);
    await spend(10, callId);
    expect(events.all).toHaveLength(1);
  });
});
