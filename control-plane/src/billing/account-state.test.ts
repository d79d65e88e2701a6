import { describe, expect, it } from 'vitest';
import {
  type AccountChange,
  type AccountState,
  applyToAccount,
  FORECAST_MS,
  NEW_ACCOUNT,
  refusalOf,
  type SpendingTerms,
  spentToday,
} from './account-state.js';

const NOON = Date.UTC(2026, 0, 5, 12);
const HOUR_MS = 3_600_000;

/** The account after some changes, and the notices on the way; time in hours from noon. */
function after(changes: readonly [hours: number, change: AccountChange][]) {
  let state: AccountState = NEW_ACCOUNT;
  const notified: string[] = [];
  const spent: [number, number][] = [];
  let billable = 0;
  for (const [hours, change] of changes) {
    const at = NOON + hours * HOUR_MS;
    const spentInForecast = spent.reduce(
      (sum, [when, cost]) => sum + (when > at - FORECAST_MS ? cost : 0),
      0,
    );
    const outcome = applyToAccount(state, change, { at, spentInForecast });
    if (change.kind === 'usage') spent.push([at, change.cost]);
    state = outcome.state;
    billable += outcome.billable;
    for (const notice of outcome.notices) {
      const { kind } = notice;
      if (kind === 'cap_approaching') notified.push(`cap ${notice.spent}/${notice.limit}`);
      else if (kind === 'credit_exhausted') notified.push(notice.inAdvance ? 'in advance' : 'exhausted');
    }
  }
  return { state, notified, billable, refused: (hours: number) => refusalOf(state, NOON + hours * HOUR_MS) };
}

const usage = (cost: number): AccountChange => ({ kind: 'usage', callId: 'c', cost });
const credit = (amount: number): AccountChange => ({ kind: 'credit', amount, reason: '' });
const cap = (limit: number | null): AccountChange => ({ kind: 'daily_cap', limit });
const method = (ready: boolean): AccountChange => ({ kind: 'payment_method', ready });

describe('a new account', () => {
  it('has spent nothing, and has neither credit nor cap nor payment method', () => {
    const none = { credit: null, creditPeriod: 0, dailyCap: null, capWarned: null, paymentMethod: false };
    expect(NEW_ACCOUNT).toMatchObject({ ...none, daySpent: 0, totalSpent: 0 });
  });
});

describe('what is spent', () => {
  it('adds up, in all and by the day in UTC', () => {
    const { state } = after([
      [0, usage(7)],
      [11.9, usage(5)],
    ]);
    expect([state.totalSpent, state.daySpent, spentToday(state, NOON)]).toEqual([12, 12, 12]);
    expect(spentToday(state, NOON + 12 * HOUR_MS)).toBe(0);
    const next = after([
      [0, usage(7)],
      [12, usage(5)],
    ]).state;
    expect([next.totalSpent, spentToday(next, NOON + 12 * HOUR_MS)]).toEqual([12, 5]);
  });
});

describe('who may begin nothing that costs', () => {
  const refused = (changes: Parameters<typeof after>[0], terms: SpendingTerms) =>
    refusalOf(after(changes).state, NOON, terms);

  it('where billing is required: who has neither payment method nor credit', () => {
    const required = { billing: 'required' } as const;
    expect(refused([], required)).toBe('payment_method_required');
    expect(refused([[0, credit(1)]], required)).toBeNull();
    expect(refused([[0, method(true)]], required)).toBeNull();
    expect(refused([], {})).toBeNull();
    expect(refused([], { billing: 'off' })).toBeNull();
  });

  it('whose credit is held for what is under way', () => {
    expect(refused([[0, credit(10)]], { held: 9 })).toBeNull();
    expect(refused([[0, credit(10)]], { held: 10 })).toBe('credit_exhausted');
    expect(refused([[0, credit(1)]], {})).toBeNull();
  });

  it('whose daily cap is spent or held', () => {
    const changes: Parameters<typeof after>[0] = [
      [0, cap(10)],
      [0, usage(4)],
    ];
    expect(refused(changes, { held: 5 })).toBeNull();
    expect(refused(changes, { held: 6 })).toBe('daily_cap_reached');
  });
});

describe('an account without credit and cap', () => {
  it('is never refused; all usage is billed', () => {
    const { billable, notified, refused } = after([[0, usage(700)]]);
    expect([billable, notified, refused(0)]).toEqual([700, [], null]);
  });
});

describe('credit', () => {
  // @rule 6.27
  it('is announced once 24 hours in advance, by the spending of the last 24 hours, and again at zero', () => {
    const { notified } = after([
      [0, credit(100)],
      [1, usage(20)],
      [2, usage(20)], // 60 left, 40 a day
      [3, usage(15)], // 45 left, 55 a day
      [4, usage(15)],
      [5, usage(30)],
    ]);
    expect(notified).toEqual(['in advance', 'exhausted']);
  });

  it('that lasts just another day like the last one is announced', () => {
    const announced = (spent: number) =>
      after([
        [0, credit(100)],
        [1, usage(spent)],
      ]).notified;
    expect([announced(49), announced(50)]).toEqual([[], ['in advance']]);
  });

  it('that lasts longer at the present rate is not announced', () => {
    const { notified } = after([
      [0, credit(100)],
      [1, usage(30)],
      [26, usage(30)],
      [51, usage(9)],
    ]);
    expect(notified).toEqual([]);
  });

  it('adds up, each grant a period of its own', () => {
    const { state } = after([
      [0, credit(10)],
      [1, credit(5)],
    ]);
    expect([state.credit, state.creditPeriod]).toEqual([15, 2]);
  });

  it('has reached zero when nothing is left, and not before', () => {
    const announced = (granted: number) =>
      after([
        [0, credit(granted)],
        [1, usage(1)],
      ]).notified;
    expect([announced(1), announced(2)]).toEqual([['exhausted'], ['in advance']]);
  });

  it('that is granted anew is announced anew', () => {
    const { notified, refused } = after([
      [0, credit(10)],
      [1, usage(10)],
      [2, credit(10)],
      [3, usage(10)],
      [4, credit(1000)],
    ]);
    expect(notified).toEqual(['exhausted', 'exhausted']);
    expect(refused(5)).toBeNull();
  });

  it('that reaches zero refuses further calls; what a last call overdrew counts against the next credit', () => {
    const { state, billable, refused } = after([
      [0, credit(10)],
      [1, usage(25)],
    ]);
    expect([state.credit, billable, refused(1)]).toEqual([-15, 0, 'credit_exhausted']);
  });

  it('that a last call overdrew is billed once there is a payment method, once', () => {
    const overdrawn: Parameters<typeof after>[0] = [
      [0, credit(10)],
      [1, usage(25)],
      [2, method(true)],
    ];
    const { state, billable, refused } = after(overdrawn);
    expect([state.credit, billable, refused(2)]).toEqual([0, 15, null]);
    // Taken away and saved again, it owes nothing; what comes then is billed as ever, or counts against the credit.
    const again = after([
      ...overdrawn,
      [3, method(true)],
      [4, method(false)],
      [5, method(true)],
      [6, usage(4)],
    ]);
    expect([again.state.credit, again.billable]).toEqual([0, 19]);
  });

  it('that was overdrawn when a payment method came, before that was billed, is billed with the next usage', () => {
    const account: AccountState = { ...NEW_ACCOUNT, credit: -15, paymentMethod: true };
    const { state, billable } = applyToAccount(account, usage(5), { at: NOON, spentInForecast: 0 });
    expect([state.credit, state.totalSpent, billable]).toEqual([0, 5, 20]);
  });

  it('with a payment method nothing is refused, and only what the credit does not cover is billed', () => {
    const { state, billable, notified, refused } = after([
      [0, credit(10)],
      [0, method(true)],
      [1, usage(25)],
      [2, usage(5)],
    ]);
    expect([state.credit, billable, notified, refused(2)]).toEqual([0, 20, ['exhausted'], null]);
  });

  it('without the payment method again, refuses', () => {
    const { refused } = after([
      [0, credit(10)],
      [0, method(true)],
      [1, usage(25)],
      [2, method(false)],
    ]);
    expect(refused(2)).toBe('credit_exhausted');
  });
});

describe('the daily cap', () => {
  it('is announced once when daily spend reaches 80% of the limit, and refuses at the limit', () => {
    const { notified, refused } = after([
      [0, cap(100)],
      [1, usage(79)],
      [2, usage(1)],
      [3, usage(5)],
      [4, usage(15)],
    ]);
    expect(notified).toEqual(['cap 80/100']);
    expect(refused(4)).toBe('daily_cap_reached');
  });

  it('begins anew with the day in UTC', () => {
    const { notified, refused } = after([
      [0, cap(100)],
      [11, usage(100)],
      [12, usage(90)],
    ]);
    expect(notified).toEqual(['cap 100/100', 'cap 90/100']);
    expect([refused(12), refused(36)]).toEqual([null, null]);
  });

  it('that is set again is announced once a day, whatever day it was set on', () => {
    const today: Parameters<typeof after>[0] = [
      [0, cap(100)],
      [1, usage(80)],
      [2, cap(100)],
    ];
    expect(after(today).notified).toEqual(['cap 80/100']);
    const tomorrow = after([...today, [24, cap(100)], [25, usage(80)]]);
    expect(tomorrow.notified).toEqual(['cap 80/100', 'cap 80/100']);
  });

  it('that is lowered below the spending is announced at once; taken away, it does not refuse', () => {
    expect(
      after([
        [0, usage(90)],
        [1, cap(100)],
      ]).notified,
    ).toEqual(['cap 90/100']);
    expect(
      after([
        [0, cap(10)],
        [1, usage(90)],
        [2, cap(null)],
      ]).refused(2),
    ).toBeNull();
  });

  it('of zero refuses everything and announces nothing', () => {
    const { notified, refused } = after([[0, cap(0)]]);
    expect([notified, refused(0)]).toEqual([[], 'daily_cap_reached']);
  });
});
