import { presentCost } from '../platform/money/call-cost.js';
import { toUsd } from '../platform/money/micro-dollars.js';
import { addedUp, partsBy } from '../platform/rollups/sums.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import { type AccountState, dayOf, spentToday } from './account-state.js';
import type { UsageSummary } from './schemas.js';
import type { UsageRollups, UsageSums } from './usage-rollups.js';
import { REALTIME_COUNTS } from './used-segments.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;

const NOTHING: UsageSums = {
  calls: 0,
  answered: 0,
  duration_ms: 0,
  stt_audio_ms: 0,
  llm_input_tokens: 0,
  llm_output_tokens: 0,
  tts_characters: 0,
  carrier_minutes: 0,
  ...(Object.fromEntries(REALTIME_COUNTS.map((name) => [`realtime_${name}`, 0])) as Pick<
    UsageSums,
    `realtime_${(typeof REALTIME_COUNTS)[number]}`
  >),
  stt: 0,
  llm: 0,
  tts: 0,
  carrier: 0,
  service: 0,
};

/** Returns the sums of some days by their names; zero where there are none. Pure. */
function sumsOf(parts: readonly { readonly sums: Readonly<Record<string, number>> }[]): UsageSums {
  return { ...NOTHING, ...addedUp(parts.map(({ sums }) => sums)) };
}

/** Returns the last `days` days in UTC, today the last of them. Pure. */
export function lastDays(now: number, days: number): string[] {
  return Array.from({ length: days }, (_, i) => dayOf(now - (days - 1 - i) * DAY_MS));
}

/** Returns the first and the last day of the month of a time, in UTC. Pure. */
export function monthOf(now: number): { readonly start: string; readonly end: string } {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: dayOf(Date.UTC(year, month, 1)), end: dayOf(Date.UTC(year, month + 1, 0)) };
}

export interface UsageQuery {
  readonly scope: TenantScope;
  /** 1 to 90. */
  readonly days: number;
  /** Epoch ms. */
  readonly now: number;
  readonly account: AccountState;
}

/** Sums up the calendar month, with a breakdown by day. */
export async function summariseUsage(
  usage: Pick<UsageRollups, 'since'>,
  query: UsageQuery,
): Promise<UsageSummary> {
  const { scope, days, now, account } = query;
  const dates = lastDays(now, days);
  const month = monthOf(now);
  const from = [dates[0] ?? month.start, month.start].sort()[0] ?? month.start;
  const parts = await usage.since(scope, Date.parse(from));
  const byDay = partsBy(parts, ({ day }) => dayOf(day));
  const totals = sumsOf(
    [...byDay].flatMap(([date, ofDay]) => (date >= month.start && date <= month.end ? ofDay : [])),
  );
  return {
    sandbox: scope.sandbox,
    currency: 'usd',
    period: month,
    totals: {
      ...figures(totals),
      stt_minutes: totals.stt_audio_ms / MINUTE_MS,
      llm_input_tokens: totals.llm_input_tokens,
      llm_output_tokens: totals.llm_output_tokens,
      tts_characters: totals.tts_characters,
      realtime: {
        minutes: totals.realtime_audio_ms / MINUTE_MS,
        input_audio_tokens: totals.realtime_input_audio_tokens,
        input_text_tokens: totals.realtime_input_text_tokens,
        cached_audio_tokens: totals.realtime_cached_audio_tokens,
        cached_text_tokens: totals.realtime_cached_text_tokens,
        output_audio_tokens: totals.realtime_output_audio_tokens,
        output_text_tokens: totals.realtime_output_text_tokens,
      },
      carrier_minutes: totals.carrier_minutes,
    },
    days,
    daily: dates.map((date) => ({ date, ...figures(sumsOf(byDay.get(date) ?? [])) })),
    credit_usd: account.credit === null ? null : toUsd(account.credit),
    daily_cap: {
      limit_usd: account.dailyCap === null ? null : toUsd(account.dailyCap),
      spent_usd: toUsd(spentToday(account, now)),
    },
    payment_method: account.paymentMethod,
  };
}

function figures(sums: UsageSums) {
  return {
    calls: sums.calls,
    answered_calls: sums.answered,
    minutes: sums.duration_ms / MINUTE_MS,
    cost: presentCost(sums),
  };
}
