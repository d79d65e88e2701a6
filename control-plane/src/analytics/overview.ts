import type { Clock } from '@voice/shared/clock/clock';
import { CALL_STATUSES, type CallStatus } from '@voice/shared/contracts/primitives';
import type { CallRollups } from '../calls/rollups/call-rollups.js';
import { CALL_SUBJECT, outcomesOf } from '../calls/rollups/call-sums.js';
import type { RollupPart } from '../platform/rollups/rollups.js';
import { addedUp, partsBy } from '../platform/rollups/sums.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import { type OutcomeCount, type PrimaryOutcome, primaryOutcome } from './primary-outcome.js';
import type { OverviewResponse } from './schemas.js';
import { byStatus, rates, statusSums, sumsOf } from './status-sums.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How far back the overview looks, today counted. */
const OVERVIEW_DAYS = 30;
const CAMPAIGNS = 100;

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
    const rows = statusSums(parts.filter(({ subject }) => subject === CALL_SUBJECT.calls));
    const { live, ...shares } = rates(rows);
    const campaigns = await this.#campaigns(scope, outcomeCounts(parts));
    return {
      sandbox: scope.sandbox,
      period: { start: dates[0]!, end: dates.at(-1)!, days: OVERVIEW_DAYS },
      totals: { ...sumsOf(rows), live },
      by_status: byStatus(rows),
      by_day: dates.map((date) => ({ date, ...sumsOf(rows.filter(({ day }) => day === date)) })),
      ...shares,
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
