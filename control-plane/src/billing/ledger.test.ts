import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestStore } from '../testing/store.js';
import { NEW_ACCOUNT } from './account-state.js';
import type { Ledger } from './ledger.js';
import type { LedgerModel, LedgerRow } from './ledger-model.js';
import type { PendingEntryModel } from './pending-entry-model.js';
import { ledgerOn, startLedgerStore } from './testing/ledgers.js';

let store: TestStore;
let connection: Connection;
let entries: LedgerModel;
let pending: PendingEntryModel;
const clock = new ScriptedClock();

beforeAll(async () => {
  ({ store, connection, entries, pending } = await startLedgerStore());
});
afterAll(() => store?.close());

const usage = (callId: string, cost: number) => ({ kind: 'usage', callId, cost }) as const;
const credit = (amount: number) => ({ kind: 'credit', amount, reason: '' }) as const;
const rowsOf = (tenant: TenantId) => entries.find({ tenant_id: tenant }).sort({ seq: 1 }).lean<LedgerRow[]>();
const pendingOf = (tenant: TenantId) => pending.countDocuments({ tenant_id: tenant });

describe('the ledger', () => {
  it('returns what is entered already as it was', async () => {
    const tenant = newTenantId();
    const ledger = ledgerOn(connection, clock);
    const id = newId();
    const first = await ledger.enter(tenant, id, usage(id, 5));
    await ledger.enter(tenant, newId(), usage(newId(), 5));
    const again = await ledger.enter(tenant, id, usage(id, 99));
    expect(again).toMatchObject({ seq: first.seq, state: first.state, billable: 5 });
  });

  it('fails with the store, rather than to try for ever', async () => {
    const broken = Object.create(entries) as LedgerModel;
    broken.insertMany = (() => Promise.reject(new Error('the store is gone'))) as never;
    const ledger = ledgerOn(connection, clock, { entries: broken });
    await expect(ledger.enter(newTenantId(), newId(), usage(newId(), 5))).rejects.toThrow(
      'the store is gone',
    );
  });

  it('foresees the end of the credit by what was spent in the last 24 hours alone', async () => {
    const tenant = newTenantId();
    const own = new ScriptedClock();
    const ledger = ledgerOn(connection, own);
    const spend = async (cost: number) => (await ledger.enter(tenant, newId(), usage(newId(), cost))).notices;
    await ledger.enter(tenant, newId(), credit(100));
    await spend(1);
    own.jump(1000);
    await spend(30);
    await spend(10);
    own.jump(24 * 60 * 60 * 1000);
    // 59 are left.
    expect([...(await spend(5)), ...(await spend(22))]).toEqual([]);
    expect(await spend(3)).toEqual([{ kind: 'credit_exhausted', inAdvance: true, period: 1 }]);
  });

  it('foresees the end of the credit by its first spending, too', async () => {
    const tenant = newTenantId();
    const ledger = ledgerOn(connection, clock);
    await ledger.enter(tenant, newId(), credit(10));
    const { notices } = await ledger.enter(tenant, newId(), usage(newId(), 5));
    expect(notices).toEqual([{ kind: 'credit_exhausted', inAdvance: true, period: 1 }]);
  });

  it("keeps tenants' accounts apart", async () => {
    const ledger = ledgerOn(connection, clock);
    const [one, other] = [newTenantId(), newTenantId()];
    await ledger.enter(one, newId(), usage(newId(), 5));
    await ledger.append(one, newId(), usage(newId(), 5));
    expect(await ledger.stateOf(other)).toEqual(NEW_ACCOUNT);
    await ledger.flush();
    expect(await ledger.postedStateOf(other)).toEqual(NEW_ACCOUNT);
  });

  it('does not run backwards when the clocks of replicas differ', async () => {
    const tenant = newTenantId();
    const behind = new ScriptedClock();
    clock.jump(60_000);
    const first = await ledgerOn(connection, clock).enter(tenant, newId(), usage(newId(), 5));
    const second = await ledgerOn(connection, behind).enter(tenant, newId(), usage(newId(), 5));
    expect(second.at.getTime()).toBeGreaterThanOrEqual(first.at.getTime());
  });
});

describe('what is appended', () => {
  /** A replica that has appended and dies before it posts. */
  const dead = () => {
    const ledger = ledgerOn(connection, clock, { entries: { find: () => new Promise(() => {}) } as never });
    return { append: (tenant: TenantId, cost: number) => appendedBy(ledger, tenant, cost) };
  };
  const appendedBy = async (ledger: Ledger, tenant: TenantId, cost: number) => {
    const id = newId();
    await ledger.append(tenant, id, usage(id, cost));
    return id;
  };

  it('counts from then on, before it is posted', async () => {
    const tenant = newTenantId();
    const ledger = ledgerOn(connection, clock);
    await ledger.enter(tenant, newId(), credit(100));
    await dead().append(tenant, 30);
    await dead().append(tenant, 12);
    expect(await ledger.stateOf(tenant)).toMatchObject({ credit: 58, daySpent: 42, totalSpent: 42 });
    expect(await ledger.postedStateOf(tenant)).toMatchObject({ credit: 100, totalSpent: 0 });
  });

  it('counts once while it is posted and still pending, and when it is appended again', async () => {
    const tenant = newTenantId();
    const failing = ledgerOn(connection, clock, { onPosted: () => Promise.reject(new Error('no')) });
    const id = await appendedBy(failing, tenant, 30);
    await failing.flush();
    expect([(await rowsOf(tenant)).length, await pendingOf(tenant)]).toEqual([1, 1]);
    expect(await failing.stateOf(tenant)).toMatchObject({ totalSpent: 30 });
    const ledger = ledgerOn(connection, clock);
    clock.jump(5000);
    await ledger.sweep();
    expect(await pendingOf(tenant)).toBe(0);
    await ledger.append(tenant, id, usage(id, 99));
    expect(await ledger.stateOf(tenant)).toMatchObject({ totalSpent: 30 });
    await ledger.flush();
    expect((await rowsOf(tenant)).map(({ state }) => state.totalSpent)).toEqual([30]);
  });

  it('counts though it is posted while the account is read, after its last entry was', async () => {
    const tenant = newTenantId();
    const other = ledgerOn(connection, clock);
    await other.enter(tenant, newId(), credit(100));
    await dead().append(tenant, 30);
    const late = Object.create(entries) as LedgerModel;
    late.find = ((filter: object) => {
      const exec = async () => {
        clock.jump(5000);
        await other.sweep();
        return entries.find(filter).lean();
      };
      return { sort: () => ({ lean: () => ({ exec }) }) };
    }) as never;
    expect(await ledgerOn(connection, clock, { entries: late }).stateOf(tenant)).toMatchObject({
      credit: 70,
    });
    expect(await other.postedStateOf(tenant)).toMatchObject({ credit: 70 });
  });

  it('is posted before what is entered after it', async () => {
    const tenant = newTenantId();
    await dead().append(tenant, 30);
    clock.jump(1);
    const ledger = ledgerOn(connection, clock);
    const { seq, state } = await ledger.enter(tenant, newId(), credit(100));
    expect([seq, state.credit, state.totalSpent]).toEqual([2, 100, 30]);
    expect((await rowsOf(tenant))[0]?.billable).toBe(30);
  });

  it('is posted by the sweep when it was left for five seconds, with what follows from it', async () => {
    const tenant = newTenantId();
    const id = await dead().append(tenant, 30);
    const followed: string[] = [];
    const ledger = ledgerOn(connection, clock, { onPosted: async ({ _id }) => void followed.push(_id) });
    clock.jump(4999);
    await ledger.sweep();
    expect(await pendingOf(tenant)).toBe(1);
    clock.jump(1);
    await ledger.sweep();
    expect([await pendingOf(tenant), followed.includes(id)]).toEqual([0, true]);
    expect((await rowsOf(tenant)).map(({ _id }) => _id)).toEqual([id]);
  });

  it('stands on the entry that it was reckoned from, where another replica was faster', async () => {
    const tenant = newTenantId();
    const overtaken = Object.create(entries) as LedgerModel;
    let isFirst = true;
    overtaken.insertMany = (async (rows: LedgerRow[], options: object) => {
      const other = { ...rows[0]!, _id: newId(), change: credit(100) };
      const state = { ...NEW_ACCOUNT, credit: 100, creditPeriod: 1 };
      if (isFirst) await entries.insertMany([{ ...other, billable: 0, state }]);
      isFirst = false;
      return entries.insertMany(rows, options);
    }) as never;
    for (let n = 0; n < 3; n++) await dead().append(tenant, 7);
    clock.jump(5000);
    const ledger = ledgerOn(connection, clock, { entries: overtaken });
    await ledger.sweep();
    expect(await rowsOf(tenant)).toHaveLength(1);
    await ledger.sweep();
    const accounts = (await rowsOf(tenant)).map(({ seq, state }) => [seq, state.credit, state.totalSpent]);
    expect(accounts).toEqual([
      [1, 100, 0],
      [2, 93, 7],
      [3, 86, 14],
      [4, 79, 21],
    ]);
  });

  it('is posted though what follows from others fails, which stays pending and is tried again', async () => {
    const tenant = newTenantId();
    const followed: string[] = [];
    let works = false;
    const ledger = ledgerOn(connection, clock, {
      batch: 2,
      async onPosted({ _id }) {
        if (!works) throw new Error('no');
        followed.push(_id);
      },
    });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await appendedBy(ledger, tenant, 1));
    await ledger.flush();
    expect((await rowsOf(tenant)).map(({ _id }) => _id)).toEqual(ids);
    expect(await pendingOf(tenant)).toBe(5);
    works = true;
    clock.jump(5000);
    await ledger.sweep();
    clock.jump(5000);
    await ledger.sweep();
    expect([await pendingOf(tenant), followed.toSorted()]).toEqual([0, ids.toSorted()]);
  });

  it('is one posting with what is appended in the 200 ms after', async () => {
    const tenant = newTenantId();
    const own = new ScriptedClock();
    const batches: number[] = [];
    const counting = Object.create(entries) as LedgerModel;
    counting.insertMany = ((rows: LedgerRow[], options: object) => {
      batches.push(rows.length);
      return entries.insertMany(rows, options);
    }) as never;
    const ledger = ledgerOn(connection, own, { entries: counting });
    await appendedBy(ledger, tenant, 1);
    await expect.poll(() => own.pending).toBe(1);
    for (let n = 0; n < 4; n++) await appendedBy(ledger, tenant, 1);
    own.advance(199);
    expect(batches).toEqual([1]);
    own.advance(1);
    await expect.poll(() => batches).toEqual([1, 4]);
    await ledger.flush();
  });
});
