import type { Clock } from '@voice/shared/clock/clock';
import { CALL_STATUSES, type CallStatus } from '@voice/shared/contracts/primitives';
import { IS_ANSWERED } from '../calls/record/answered.js';
import { percentile } from '../calls/record/call-record.js';
import { LIVE_STATUSES } from '../calls/record/call-state.js';
import type { CallModel } from '../calls/record/model.js';
import { NO_TEST_SESSIONS } from '../calls/record/test-sessions.js';
import { COST_PARTS } from '../platform/money/call-cost.js';
import { toUsd } from '../platform/money/micro-dollars.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import { type OutcomeCount, type PrimaryOutcome, primaryOutcome } from './primary-outcome.js';
import type { OverviewResponse } from './schemas.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How far back the overview looks, today counted. */
const OVERVIEW_DAYS = 30;
const CAMPAIGNS = 100;
const LIVE: readonly CallStatus[] = LIVE_STATUSES;
/** Over so many calls latencies are measured. */
const LATENCY_CALLS = 1000;

/** A campaign as the overview sees it. */
export interface CampaignForOverview {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly outcomeLabels: readonly string[];
}

export interface OverviewOptions {
  readonly calls: CallModel;
  /** The campaigns of the scope among these. */
  readonly campaignsOf: (scope: TenantScope, ids: readonly string[]) => Promise<CampaignForOverview[]>;
  readonly responseLatencies: (query: {
    readonly scope: TenantScope;
    readonly since: Date;
    readonly limit: number;
  }) => Promise<number[]>;
  readonly clock: Clock;
}

/** Calls of one day and status. */
interface StatusSums {
  readonly _id: { readonly day: string; readonly status: CallStatus };
  readonly calls: number;
  readonly answered: number;
  /** Of the answered calls alone. */
  readonly answered_ms: number;
  readonly duration_ms: number;
  readonly cost: number;
}
const SUMMED = [
  'calls',
  'answered',
  'answered_ms',
  'duration_ms',
  'cost',
] as const satisfies readonly Exclude<keyof StatusSums, '_id'>[];

/** Calls of one campaign, status and outcome. */
interface CampaignSums {
  readonly _id: { readonly campaign: string; readonly completed: boolean; readonly outcome: string | null };
  readonly calls: number;
}

/** What a tenant's calls of the last days amount to, of one mode. */
export class Overview {
  readonly #options: OverviewOptions;

  constructor(options: OverviewOptions) {
    this.#options = options;
  }

  async of(scope: TenantScope): Promise<OverviewResponse> {
    const now = this.#options.clock.now();
    const dates = Array.from({ length: OVERVIEW_DAYS }, (_, i) =>
      new Date(now - (OVERVIEW_DAYS - 1 - i) * DAY_MS).toISOString().slice(0, 10),
    );
    const since = new Date(dates[0]!);
    const match = { ...ownedBy(scope), created_at: { $gte: since }, ...NO_TEST_SESSIONS };
    const [{ days: rows, campaigns: campaignRows }, latencies] = await Promise.all([
      this.#sums(match),
      this.#options.responseLatencies({ scope, since, limit: LATENCY_CALLS }),
    ]);
    const totals = sumsOf(rows);
    const live = rows.filter(({ _id }) => LIVE.includes(_id.status));
    const over = totals.calls - sumsOf(live).calls;
    const finished = rows.filter((row) => !live.includes(row));
    const campaigns = await this.#campaigns(scope, campaignRows);
    return {
      sandbox: scope.sandbox,
      period: { start: dates[0]!, end: dates.at(-1)!, days: OVERVIEW_DAYS },
      totals: { ...totals, live: sumsOf(live).calls },
      by_status: Object.fromEntries(
        CALL_STATUSES.map((status) => [
          status,
          sumsOf(rows.filter(({ _id }) => _id.status === status)).calls,
        ]),
      ) as OverviewResponse['by_status'],
      by_day: dates.map((date) => ({ date, ...sumsOf(rows.filter(({ _id }) => _id.day === date)) })),
      answer_rate: over === 0 ? null : sumsOf(finished).answered / over,
      completion_rate: over === 0 ? null : totals.completed / over,
      average_duration_ms: average(finished),
      response_latency_ms: { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95) },
      primary_outcomes: byOutcome(campaigns.map(({ primary }) => primary)),
      campaigns: campaigns.slice(0, CAMPAIGNS).map(({ campaign, primary }) => ({
        campaign_id: campaign.id,
        name: campaign.name,
        status: campaign.status,
        primary_outcome: primary.label,
        calls: primary.calls,
        primary_outcome_count: primary.count,
        primary_outcome_rate: primary.completed === 0 ? null : primary.count / primary.completed,
      })),
    };
  }

  /** Reads both from one look at the calls: what is read at different moments does not add up while calls end. */
  async #sums(match: object): Promise<{ days: StatusSums[]; campaigns: CampaignSums[] }> {
    const [sums] = await this.#options.calls
      .aggregate<{ days: StatusSums[]; campaigns: CampaignSums[] }>([
        { $match: match },
        {
          $group: {
            _id: {
              day: { $dateToString: { date: '$created_at', format: '%Y-%m-%d', timezone: 'UTC' } },
              status: '$status',
              campaign: { $ifNull: ['$campaign_id', null] },
              outcome: { $ifNull: ['$outcome', null] },
            },
            calls: { $sum: 1 },
            answered: { $sum: { $cond: [IS_ANSWERED, 1, 0] } },
            answered_ms: { $sum: { $cond: [IS_ANSWERED, '$duration_ms', 0] } },
            duration_ms: { $sum: '$duration_ms' },
            cost: { $sum: { $sum: COST_PARTS.map((part) => `$cost.${part}`) } },
          },
        },
        {
          $facet: {
            days: [
              {
                $group: {
                  _id: { day: '$_id.day', status: '$_id.status' },
                  ...Object.fromEntries(SUMMED.map((name) => [name, { $sum: `$${name}` }])),
                },
              },
            ],
            campaigns: [
              { $match: { '_id.campaign': { $ne: null } } },
              {
                $group: {
                  _id: {
                    campaign: '$_id.campaign',
                    completed: { $eq: ['$_id.status', 'COMPLETED'] },
                    outcome: '$_id.outcome',
                  },
                  calls: { $sum: '$calls' },
                },
              },
            ],
          },
        },
      ])
      .exec();
    return sums ?? { days: [], campaigns: [] };
  }

  /** Lists those with the most calls first. */
  async #campaigns(scope: TenantScope, rows: readonly CampaignSums[]) {
    const counts = new Map<string, OutcomeCount[]>();
    for (const { _id, calls } of rows) {
      const entry = { completed: _id.completed, outcome: _id.outcome, calls };
      counts.set(_id.campaign, [...(counts.get(_id.campaign) ?? []), entry]);
    }
    if (counts.size === 0) return [];
    const campaigns = await this.#options.campaignsOf(scope, [...counts.keys()]);
    return campaigns
      .map((campaign) => ({
        campaign,
        primary: primaryOutcome(campaign.outcomeLabels, counts.get(campaign.id) ?? []),
      }))
      .sort((a, b) => b.primary.calls - a.primary.calls || (a.campaign.id < b.campaign.id ? 1 : -1));
  }
}

function sumsOf(rows: readonly StatusSums[]) {
  const sum = (of: (row: StatusSums) => number) => rows.reduce((total, row) => total + of(row), 0);
  const callsOf = (status: CallStatus) => sum((row) => (row._id.status === status ? row.calls : 0));
  return {
    calls: sum(({ calls }) => calls),
    answered: sum(({ answered }) => answered),
    completed: callsOf('COMPLETED'),
    failed: callsOf('FAILED'),
    duration_ms: sum(({ duration_ms }) => duration_ms),
    cost_usd: toUsd(sum(({ cost }) => cost)),
  };
}

function average(finished: readonly StatusSums[]): number | null {
  const { answered } = sumsOf(finished);
  return answered === 0 ? null : finished.reduce((total, row) => total + row.answered_ms, 0) / answered;
}

function byOutcome(outcomes: readonly PrimaryOutcome[]): OverviewResponse['primary_outcomes'] {
  const byLabel = new Map<string, { campaigns: number; calls: number; count: number }>();
  for (const { label, calls, count } of outcomes) {
    const sum = byLabel.get(label) ?? { campaigns: 0, calls: 0, count: 0 };
    byLabel.set(label, {
      campaigns: sum.campaigns + 1,
      calls: sum.calls + calls,
      count: sum.count + count,
    });
  }
  return [...byLabel]
    .map(([outcome, sums]) => ({ outcome, ...sums }))
    .sort((a, b) => b.count - a.count || a.outcome.localeCompare(b.outcome));
}
