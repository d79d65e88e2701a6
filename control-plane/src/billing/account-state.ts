import type { BillingMode } from '../config.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';

/** Part of the daily cap at which the tenant gets a notice: 80 %. */
const CAP_WARNING_TENTHS = 8;
/** How far ahead the notice of the credit's end is sent, and over what its spending rate is measured, in ms. */
export const FORECAST_MS = 24 * 60 * 60 * 1000;

/** A tenant's account after one entry of its ledger. */
export interface AccountState {
  /** Free or prepaid credit that is left; null when there never was any. Below zero after a last call. */
  readonly credit: MicroDollars | null;
  /** Counts grants of credit: each is a new period, in which the notice of the credit's end is sent once. */
  readonly creditPeriod: number;
  readonly exhaustionForecast: boolean;
  /** Whether a payment method is there: then usage beyond the credit goes on, and on the bill. */
  readonly paymentMethod: boolean;
  readonly dailyCap: MicroDollars | null;
  /** The UTC day of the last spending, such as 2026-01-05. */
  readonly day: string;
  readonly daySpent: MicroDollars;
  /** The cap of which `day` was already warned. */
  readonly capWarned: MicroDollars | null;
  readonly totalSpent: MicroDollars;
}

export const NEW_ACCOUNT: AccountState = {
  credit: null,
  creditPeriod: 0,
  exhaustionForecast: false,
  paymentMethod: false,
  dailyCap: null,
  day: '',
  daySpent: 0,
  capWarned: null,
  totalSpent: 0,
};

/** What happens to an account. */
export type AccountChange =
  | { readonly kind: 'usage'; readonly callId: string; readonly cost: MicroDollars }
  | { readonly kind: 'credit'; readonly amount: MicroDollars; readonly reason: string }
  | { readonly kind: 'daily_cap'; readonly limit: MicroDollars | null }
  | { readonly kind: 'payment_method'; readonly ready: boolean };

/** Notices to the tenant about a change. */
export type AccountNotice =
  | { readonly kind: 'credit_exhausted'; readonly inAdvance: boolean; readonly period: number }
  | { readonly kind: 'cap_approaching'; readonly spent: MicroDollars; readonly limit: MicroDollars };

export interface ChangeOutcome {
  readonly state: AccountState;
  /** What no credit covers and the payment provider is to bill: of a usage, or of what was overdrawn before. */
  readonly billable: MicroDollars;
  readonly notices: readonly AccountNotice[];
}

/** Returns the UTC day of a time in epoch ms. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export function spentToday(state: AccountState, now: number): MicroDollars {
  return state.day === dayOf(now) ? state.daySpent : 0;
}

export const SPENDING_REFUSALS = [
  'payment_method_required',
  'credit_exhausted',
  'daily_cap_reached',
] as const;
export type SpendingRefusal = (typeof SPENDING_REFUSALS)[number];

export interface SpendingTerms {
  /** Whether a tenant without payment method and credit may spend. Default `off`: yes. */
  readonly billing?: BillingMode;
  /** What is kept for calls that are not charged yet. Default 0. */
  readonly held?: MicroDollars;
}

/** Why the tenant may begin nothing that costs at `now` (epoch ms); null when it may. Pure. */
export function refusalOf(
  state: AccountState,
  now: number,
  { billing = 'off', held = 0 }: SpendingTerms = {},
): SpendingRefusal | null {
  if (!state.paymentMethod) {
    if (state.credit !== null && state.credit <= held) return 'credit_exhausted';
    if (state.credit === null && billing === 'required') return 'payment_method_required';
  }
  if (state.dailyCap !== null && spentToday(state, now) + held >= state.dailyCap) return 'daily_cap_reached';
  return null;
}

/**
 * Returns the account after a change at `at` (epoch ms). `spentInForecast` is what was spent in the `FORECAST_MS`
 * before, this change not counted. Pure.
 */
export function applyToAccount(
  before: AccountState,
  change: AccountChange,
  { at, spentInForecast }: { readonly at: number; readonly spentInForecast: MicroDollars },
): ChangeOutcome {
  switch (change.kind) {
    case 'usage': {
      const spent = spend(before, change.cost, at);
      return withNotices(before, spent, spentInForecast + change.cost);
    }
    case 'credit': {
      const credit = (before.credit ?? 0) + change.amount;
      const creditPeriod = before.creditPeriod + 1;
      return unbilled({ ...before, credit, creditPeriod, exhaustionForecast: false });
    }
    case 'daily_cap': {
      const day = dayOf(at);
      const state = {
        ...before,
        dailyCap: change.limit,
        day,
        daySpent: spentToday(before, at),
        capWarned: before.day === day ? before.capWarned : null,
      };
      return withCapNotice({ ...unbilled(state) });
    }
    case 'payment_method': {
      const state = { ...before, paymentMethod: change.ready };
      const { credit } = before;
      if (!change.ready || credit === null || credit >= 0) return unbilled(state);
      // What last calls overdrew goes on the bill, too, and is owed no more.
      return { state: { ...state, credit: 0 }, billable: -credit, notices: [] };
    }
  }
}

function unbilled(state: AccountState): ChangeOutcome {
  return { state, billable: 0, notices: [] };
}

function spend(before: AccountState, cost: MicroDollars, at: number) {
  const { credit, paymentMethod } = before;
  // Without a payment method a last call overdraws the credit; with one the rest goes on the bill, and so does what is
  // still overdrawn in ledgers from before the method's own entry billed that.
  const beyondIsBilled = credit === null || paymentMethod;
  const covered = beyondIsBilled ? Math.min(cost, credit ?? 0) : cost;
  const day = dayOf(at);
  const sameDay = before.day === day;
  const state: AccountState = {
    ...before,
    credit: credit === null ? null : credit - covered,
    day,
    daySpent: (sameDay ? before.daySpent : 0) + cost,
    capWarned: sameDay ? before.capWarned : null,
    totalSpent: before.totalSpent + cost,
  };
  return { state, billable: cost - covered };
}

function withNotices(
  before: AccountState,
  { state, billable }: { state: AccountState; billable: MicroDollars },
  spentInForecast: MicroDollars,
): ChangeOutcome {
  const { credit, creditPeriod: period } = state;
  const notices: AccountNotice[] = [];
  let { exhaustionForecast } = state;
  if (credit !== null && before.credit !== null && before.credit > 0) {
    if (credit <= 0) {
      notices.push({ kind: 'credit_exhausted', inAdvance: false, period });
    } else if (!exhaustionForecast && credit <= spentInForecast) {
      // Another day like the last one, and nothing is left.
      exhaustionForecast = true;
      notices.push({ kind: 'credit_exhausted', inAdvance: true, period });
    }
  }
  return withCapNotice({ state: { ...state, exhaustionForecast }, billable, notices });
}

function withCapNotice({ state, billable, notices }: ChangeOutcome): ChangeOutcome {
  const { dailyCap: limit, daySpent: spent, capWarned } = state;
  if (!limit || capWarned === limit || spent * 10 < limit * CAP_WARNING_TENTHS) {
    return { state, billable, notices };
  }
  return {
    state: { ...state, capWarned: limit },
    billable,
    notices: [...notices, { kind: 'cap_approaching', spent, limit }],
  };
}
