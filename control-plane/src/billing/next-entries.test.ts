import { newTenantId } from '@voice/shared/ids/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccountChange, applyToAccount, FORECAST_MS, NEW_ACCOUNT } from './account-state.js';
import type { LedgerRow } from './ledger-model.js';
import { type AppendedChange, nextEntries, stateAfter } from './next-entries.js';

const tenant = newTenantId();
const HOUR_MS = 60 * 60 * 1000;
const START = Date.UTC(2026, 0, 5, 15);

const usage = (cost: number): AccountChange => ({ kind: 'usage', callId: 'a call', cost });
const change: fc.Arbitrary<AccountChange> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 60 }).map(usage) },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: 1, max: 300 })
      .map((amount) => ({ kind: 'credit' as const, amount, reason: '' })),
  },
  fc.option(fc.nat(200), { nil: null }).map((limit) => ({ kind: 'daily_cap' as const, limit })),
  fc.boolean().map((ready) => ({ kind: 'payment_method' as const, ready })),
);
/** Changes some hours apart; clocks of replicas differ, so that one may be earlier than the one before. */
const history: fc.Arbitrary<AppendedChange[]> = fc
  .array(fc.tuple(change, fc.constantFrom(0, 0, 1, -1, 7, 26)), { maxLength: 40 })
  .map((steps) => {
    let at = START;
    return steps.map(([change, hours], n) => {
      at += hours * HOUR_MS;
      return { _id: `entry ${n}`, at: new Date(at), change };
    });
  });

const spentIn = (rows: readonly LedgerRow[]) => async (at: number) =>
  rows.findLast((row) => row.at.getTime() <= at)?.state.totalSpent ?? 0;

/** Posts some at a time. */
async function posted(pending: readonly AppendedChange[], sizes: readonly number[]): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for (let n = 0; rows.length < pending.length; n++) {
    const some = pending.slice(rows.length, rows.length + (sizes[n % sizes.length] ?? 1));
    const last = rows.at(-1) ?? null;
    rows.push(...(await nextEntries({ tenant, last, pending: some, spentUntil: spentIn([...rows]) })));
  }
  return rows;
}

/** The rules, one change after another, each with all that was spent in the day before it. */
function oneByOne(pending: readonly AppendedChange[]) {
  let [at, state] = [0, NEW_ACCOUNT];
  const spent: { readonly at: number; readonly cost: number }[] = [];
  return pending.map(({ at: appendedAt, change }) => {
    at = Math.max(at, appendedAt.getTime());
    const recent = spent.filter((one) => one.at > at - FORECAST_MS);
    const spentInForecast = recent.reduce((sum, { cost }) => sum + cost, 0);
    const outcome = applyToAccount(state, change, { at, spentInForecast });
    if (change.kind === 'usage') spent.push({ at, cost: change.cost });
    ({ state } = outcome);
    return { at: new Date(at), ...outcome };
  });
}

describe('the next entries of a ledger', () => {
  it('are by the rules of the account, however many are posted at a time', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(history, sizes, async (pending, sizes) => {
        const rows = await posted(pending, sizes);
        const found = rows.map(({ at, state, billable, notices }) => ({ at, state, billable, notices }));
        expect(found).toEqual(oneByOne(pending));
        expect(rows.map(({ seq, _id }) => [seq, _id])).toEqual(pending.map(({ _id }, n) => [n + 1, _id]));
      }),
    );
  });

  it('leave the account as it is reckoned before they are posted, wherever posting has come to', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.nat(40), async (pending, length) => {
        const rows = await posted(pending, [50]);
        const { exhaustionForecast: _, ...state } = rows.at(-1)?.state ?? NEW_ACCOUNT;
        const done = Math.min(length, pending.length);
        expect(stateAfter(rows[done - 1] ?? null, pending.slice(done))).toMatchObject(state);
      }),
    );
  });

  it('lose and make no money: what is spent is covered by credit or billed', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (pending) => {
        const rows = await posted(pending, [50]);
        const sum = (of: (row: LedgerRow) => number) => rows.reduce((total, row) => total + of(row), 0);
        const granted = sum(({ change }) => (change.kind === 'credit' ? change.amount : 0));
        const spent = sum(({ change }) => (change.kind === 'usage' ? change.cost : 0));
        const { credit, totalSpent } = rows.at(-1)?.state ?? NEW_ACCOUNT;
        expect(totalSpent).toBe(spent);
        expect(granted - (credit ?? 0) + sum(({ billable }) => billable)).toBe(spent);
      }),
    );
  });

  it('ask what was spent a day before once while nothing is foreseen', async () => {
    let asked = 0;
    const spentUntil = async () => {
      asked++;
      return 0;
    };
    const pending = Array.from({ length: 100 }, (_, n) => ({
      _id: `entry ${n}`,
      at: new Date(START + n),
      change: n === 0 ? ({ kind: 'credit', amount: 1000, reason: '' } as const) : usage(1),
    }));
    await nextEntries({ tenant, last: null, pending, spentUntil });
    expect(asked).toBe(1);
  });
});
