import { type CallCost, COST_PARTS, presentCost } from '../platform/money/call-cost.js';
import { toUsd } from '../platform/money/micro-dollars.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import { type AccountState, dayOf, spentToday } from './account-state.js';
import type { UsageSummary } from './schemas.js';
import type { UsageModel } from './usage-model.js';
import { REALTIME_COUNTS, type RealtimeTotals } from './used-segments.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;

type RealtimeSums = { readonly [name in keyof RealtimeTotals as `realtime_${name}`]: number };

/** The sums of some usage records; costs in micro-dollars. */
interface Sums extends Omit<CallCost, 'wasted'>, RealtimeSums {
  readonly calls: number;
  readonly answered: number;
  readonly duration_ms: number;
  readonly stt_audio_ms: number;
  readonly llm_input_tokens: number;
  readonly llm_output_tokens: number;
  readonly tts_characters: number;
  readonly carrier_minutes: number;
}

const NOTHING: Sums = {
  calls: 0,
  answered: 0,
  duration_ms: 0,
  stt_audio_ms: 0,
  llm_input_tokens: 0,
  llm_output_tokens: 0,
  tts_characters: 0,
  carrier_minutes: 0,
  ...(Object.fromEntries(REALTIME_COUNTS.map((name) => [`realtime_${name}`, 0])) as RealtimeSums),
  stt: 0,
  llm: 0,
  tts: 0,
  carrier: 0,
  service: 0,
};

const SUMMED = Object.keys(NOTHING) as (keyof Sums)[];

function added(a: Sums, b: Sums): Sums {
  return Object.fromEntries(SUMMED.map((key) => [key, a[key] + b[key]])) as unknown as Sums;
}

const GROUP = {
  // Test sessions cost what they cost, and are no calls.
  calls: { $sum: { $cond: [{ $eq: ['$test_session', true] }, 0, 1] } },
  answered: {
    $sum: { $cond: [{ $and: ['$answered', { $ne: ['$test_session', true] }] }, 1, 0] },
  },
  duration_ms: { $sum: '$duration_ms' },
  stt_audio_ms: { $sum: '$stt_audio_ms' },
  llm_input_tokens: { $sum: '$llm_input_tokens' },
  llm_output_tokens: { $sum: '$llm_output_tokens' },
  tts_characters: { $sum: '$tts_characters' },
  carrier_minutes: { $sum: '$carrier_minutes' },
  ...Object.fromEntries(REALTIME_COUNTS.map((name) => [`realtime_${name}`, { $sum: `$realtime.${name}` }])),
  ...Object.fromEntries(COST_PARTS.map((part) => [part, { $sum: `$cost.${part}` }])),
};

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
export async function summariseUsage(usage: UsageModel, query: UsageQuery): Promise<UsageSummary> {
  const { scope, days, now, account } = query;
  const dates = lastDays(now, days);
  const month = monthOf(now);
  const from = [dates[0] ?? month.start, month.start].sort()[0] ?? month.start;
  const rows = await usage.aggregate<Sums & { _id: string }>([
    { $match: { ...ownedBy(scope), ended_at: { $gte: new Date(from) } } },
    {
      $group: {
        _id: { $dateToString: { date: '$ended_at', format: '%Y-%m-%d', timezone: 'UTC' } },
        ...GROUP,
      },
    },
  ]);
  const byDay = new Map(rows.map(({ _id, ...sums }) => [_id, sums]));
  const totals = [...byDay]
    .filter(([date]) => date >= month.start && date <= month.end)
    .reduce((sum, [, sums]) => added(sum, sums), NOTHING);
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
    daily: dates.map((date) => ({ date, ...figures(byDay.get(date) ?? NOTHING) })),
    credit_usd: account.credit === null ? null : toUsd(account.credit),
    daily_cap: {
      limit_usd: account.dailyCap === null ? null : toUsd(account.dailyCap),
      spent_usd: toUsd(spentToday(account, now)),
    },
    payment_method: account.paymentMethod,
  };
}

function figures(sums: Sums) {
  return {
    calls: sums.calls,
    answered_calls: sums.answered,
    minutes: sums.duration_ms / MINUTE_MS,
    cost: presentCost(sums),
  };
}
