import type { Clock } from '@voice/shared/clock/clock';
import { CALL_STATUSES, type CallStatus } from '@voice/shared/contracts/primitives';
import { LIVE_STATUSES } from '../calls/record/call-state.js';
import type { CallRollups } from '../calls/rollups/call-rollups.js';
import { CALL_SUBJECT, outcomesOf } from '../calls/rollups/call-sums.js';
import { toUsd } from '../platform/money/micro-dollars.js';
import type { RollupPart } from '../platform/rollups/rollups.js';
import { addedUp, partsBy } from '../platform/rollups/sums.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import { type OutcomeCount, type PrimaryOutcome, primaryOutcome } from './primary-outcome.js';
import type { OverviewResponse } from './schemas.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How far back the overview looks, today counted. */
const OVERVIEW_DAYS = 30;
const CAMPAIGNS = 100;
const LIVE: readonly CallStatus[] = LIVE_STATUSES;

/** A campaign as the overview sees it. */
export interface CampaignForOverview {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly outcomeLabels: readonly string[];
}

export interface OverviewOptions {
  readonly rollups: Pick<CallRollups, 'since'>;
  /** The campaigns of the scope among these. */
  readonly campaignsOf: (scope: TenantScope, ids: readonly string[]) => Promise<CampaignForOverview[]>;
  /** Returns percentiles of the response latency, in ms, over the calls that ended since; null without any. */
  readonly responseLatencies: (query: {
    readonly scope: TenantScope;
    readonly since: Date;
    readonly shares: readonly number[];
  }) => Promise<(number | null)[]>;
  readonly clock: Clock;
}

/** Calls of one day and status. */
interface StatusSums {
  readonly day: string;
  readonly status: CallStatus;
  readonly calls: number;
  readonly answered: number;
  /** Of the answered calls alone. */
  readonly answered_ms: number;
  readonly duration_ms: number;
  readonly cost: number;
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
    const [parts, [p50 = null, p95 = null]] = await Promise.all([
      this.#options.rollups.since(scope, since.getTime()),
      this.#options.responseLatencies({ scope, since, shares: [0.5, 0.95] }),
    ]);
    const rows = statusSums(parts);
    const totals = sumsOf(rows);
    const live = rows.filter(({ status }) => LIVE.includes(status));
    const over = totals.calls - sumsOf(live).calls;
    const finished = rows.filter((row) => !live.includes(row));
    const campaigns = await this.#campaigns(scope, outcomeCounts(parts));
    return {
      sandbox: scope.sandbox,
      period: { start: dates[0]!, end: dates.at(-1)!, days: OVERVIEW_DAYS },
      totals: { ...totals, live: sumsOf(live).calls },
      by_status: Object.fromEntries(
        CALL_STATUSES.map((status) => [status, sumsOf(rows.filter((row) => row.status === status)).calls]),
      ) as OverviewResponse['by_status'],
      by_day: dates.map((date) => ({ date, ...sumsOf(rows.filter(({ day }) => day === date)) })),
      answer_rate: over === 0 ? null : sumsOf(finished).answered / over,
      completion_rate: over === 0 ? null : totals.completed / over,
      average_duration_ms: average(finished),
      response_latency_ms: { p50, p95 },
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

  /** Lists those with the most calls first. */
  async #campaigns(scope: TenantScope, counts: ReadonlyMap<string, readonly OutcomeCount[]>) {
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

/** Returns the tenant's calls by day and status. Pure. */
function statusSums(parts: readonly RollupPart[]): StatusSums[] {
  return parts
    .filter(({ subject }) => subject === CALL_SUBJECT.calls)
    .flatMap(({ day, sums }) =>
      CALL_STATUSES.filter((status) => (sums[`${status}|calls`] ?? 0) > 0).map((status) => {
        const sum = (name: string) => sums[`${status}|${name}`] ?? 0;
        return {
          day: new Date(day).toISOString().slice(0, 10),
          status,
          calls: sum('calls'),
          answered: sum('answered'),
          answered_ms: sum('answered_ms'),
          duration_ms: sum('duration_ms'),
          cost: sum('cost'),
        };
      }),
    );
}

/** Returns the calls of each campaign by outcome, the completed ones, and how many others there are. Pure. */
function outcomeCounts(parts: readonly RollupPart[]): ReadonlyMap<string, readonly OutcomeCount[]> {
  const campaigns = partsBy(
    parts.filter(({ subject }) => subject === CALL_SUBJECT.campaign),
    ({ subject_id }) => subject_id,
  );
  return new Map(
    [...campaigns].map(([id, own]) => {
      const sums = addedUp(own.map((part) => part.sums));
      const callsIn = (status: CallStatus) => sums[`${status}|calls`] ?? 0;
      const labelled = outcomesOf(sums).map(([outcome, calls]) => ({ completed: true, outcome, calls }));
      const rest = callsIn('COMPLETED') - labelled.reduce((sum, { calls }) => sum + calls, 0);
      const others = CALL_STATUSES.reduce((sum, status) => sum + callsIn(status), -callsIn('COMPLETED'));
      return [
        id,
        [
          ...labelled,
          { completed: true, outcome: null, calls: rest },
          { completed: false, outcome: null, calls: others },
        ],
      ];
    }),
  );
}

function sumsOf(rows: readonly StatusSums[]) {
  const sum = (of: (row: StatusSums) => number) => rows.reduce((total, row) => total + of(row), 0);
  const callsOf = (status: CallStatus) => sum((row) => (row.status === status ? row.calls : 0));
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
