import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../testing/store.js';
import { NEW_ACCOUNT } from './account-state.js';
import { Ledger } from './ledger.js';
import { type LedgerModel, ledgerModel } from './ledger-model.js';

let store: TestStore;
let entries: LedgerModel;
const clock = new ScriptedClock();

beforeAll(async () => {
  store = await startTestStore();
  entries = ledgerModel(await store.connect());
  await entries.createIndexes();
});
afterAll(() => store?.close());

const usage = (callId: string, cost: number) => ({ kind: 'usage', callId, cost }) as const;

describe('the ledger', () => {
  it('loses and doubles nothing when replicas enter at the same time, each call by two of them', async () => {
    const tenant = newTenantId();
    const replicas = [new Ledger(entries, clock), new Ledger(entries, clock)];
    await replicas[0]!.enter(tenant, newId(), { kind: 'credit', amount: 1000, reason: '' });
    const ids = Array.from({ length: 20 }, () => newId());
    await Promise.all(ids.flatMap((id) => replicas.map((ledger) => ledger.enter(tenant, id, usage(id, 7)))));
    const state = await replicas[1]!.stateOf(tenant);
    expect([state.credit, state.totalSpent]).toEqual([860, 140]);
    const rows = await entries.find({ tenant_id: tenant }).sort({ seq: 1 }).lean();
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
  });

  it('returns what is entered already as it was', async () => {
    const tenant = newTenantId();
    const ledger = new Ledger(entries, clock);
    const id = newId();
    const first = await ledger.enter(tenant, id, usage(id, 5));
    await ledger.enter(tenant, newId(), usage(newId(), 5));
    const again = await ledger.enter(tenant, id, usage(id, 99));
    expect(again).toMatchObject({ seq: first.seq, state: first.state, billable: 5 });
  });

  it('fails with the store, rather than to try for ever', async () => {
    const broken = Object.create(entries) as LedgerModel;
    broken.insertMany = (() => Promise.reject(new Error('the store is gone'))) as never;
    const entered = new Ledger(broken, clock).enter(newTenantId(), newId(), usage(newId(), 5));
    await expect(entered).rejects.toThrow('the store is gone');
  });

  it('foresees the end of the credit by what was spent in the last 24 hours alone', async () => {
    const tenant = newTenantId();
    const own = new ScriptedClock();
    const ledger = new Ledger(entries, own);
    const spend = async (cost: number) => (await ledger.enter(tenant, newId(), usage(newId(), cost))).notices;
    await ledger.enter(tenant, newId(), { kind: 'credit', amount: 100, reason: '' });
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
    const ledger = new Ledger(entries, clock);
    await ledger.enter(tenant, newId(), { kind: 'credit', amount: 10, reason: '' });
    const { notices } = await ledger.enter(tenant, newId(), usage(newId(), 5));
    expect(notices).toEqual([{ kind: 'credit_exhausted', inAdvance: true, period: 1 }]);
  });

  it("keeps tenants' accounts apart", async () => {
    const ledger = new Ledger(entries, clock);
    await ledger.enter(newTenantId(), newId(), usage(newId(), 5));
    expect(await ledger.stateOf(newTenantId())).toEqual(NEW_ACCOUNT);
  });

  it('does not run backwards when the clocks of replicas differ', async () => {
    const tenant = newTenantId();
    const behind = new ScriptedClock();
    clock.jump(60_000);
    const first = await new Ledger(entries, clock).enter(tenant, newId(), usage(newId(), 5));
    const second = await new Ledger(entries, behind).enter(tenant, newId(), usage(newId(), 5));
    expect(second.at.getTime()).toBeGreaterThanOrEqual(first.at.getTime());
  });
});
