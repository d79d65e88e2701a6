import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import type { CallRollups } from '../calls/rollups/call-rollups.js';
import { partsBy } from '../platform/rollups/sums.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import { bucketOf, bucketsOf, rangeOf } from './range.js';
import type { TrendsQuery, TrendsResponse } from './schemas.js';
import { byStatus, rates, statusSums, sumsOf } from './status-sums.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Agents that one answer names. */
const AGENTS = 100;
const SHARES = [0.5, 0.95, 0.99];

/** Percentiles of the response latency, in ms, and of how many turns. */
interface LatencyFigures {
  readonly turns: number;
  /** In the order of the shares that were asked for; null without any turn. */
  readonly percentiles: readonly (number | null)[];
}
const NO_TURNS: LatencyFigures = { turns: 0, percentiles: [] };

export interface TrendsOptions {
  readonly rollups: Pick<CallRollups, 'ofAgents'>;
  /** The latencies of calls that ended from `since` to before `until` (epoch ms), by group of days and all together. */
  readonly latencyGroups: (query: {
    readonly scope: TenantScope;
    readonly since: number;
    readonly until: number;
    readonly shares: readonly number[];
    readonly groupOf: (day: number) => string;
  }) => Promise<{ readonly all: LatencyFigures; readonly groups: ReadonlyMap<string, LatencyFigures> }>;
  /** The names of a tenant's agents among these, by id; without those that are not there. */
  readonly agentNames: (tenant: TenantId, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly clock: Clock;
}

/** What a tenant's calls amount to over any range: by day, week or month, and by agent. */
export class Trends {
  readonly #options: TrendsOptions;

  constructor(options: TrendsOptions) {
    this.#options = options;
  }

  /** Throws `ValidationError` for a range that is too long or ends before it begins. */
  async of(scope: TenantScope, { bucket, ...asked }: TrendsQuery): Promise<TrendsResponse> {
    const { rollups, latencyGroups, agentNames, clock } = this.#options;
    const range = rangeOf(asked, clock.now());
    const span = { since: Date.parse(range.start), until: Date.parse(range.end) + DAY_MS };
    const groupOf = (day: number) => bucketOf(new Date(day).toISOString().slice(0, 10), bucket);
    const [parts, latencies] = await Promise.all([
      rollups.ofAgents(scope, span),
      latencyGroups({ scope, ...span, shares: SHARES, groupOf }),
    ]);
    const rows = statusSums(parts);
    const rowsOf = partsBy(rows, ({ day }) => bucketOf(day, bucket));
    const agents = [...partsBy(parts, ({ subject_id }) => subject_id)]
      .map(([id, own]) => ({ id, sums: sumsOf(statusSums(own)) }))
      .sort((a, b) => b.sums.cost_usd - a.sums.cost_usd || b.sums.calls - a.sums.calls)
      .slice(0, AGENTS);
    const names = await agentNames(
      scope.tenant,
      agents.map(({ id }) => id),
    );
    const { live, ...shares } = rates(rows);
    return {
      sandbox: scope.sandbox,
      period: { ...range, days: (span.until - span.since) / DAY_MS, bucket },
      totals: { ...sumsOf(rows), live },
      by_status: byStatus(rows),
      ...shares,
      response_latency_ms: presentLatency(latencies.all),
      buckets: [...bucketsOf(range, bucket)].map(([key, days]) => ({
        ...days,
        ...sumsOf(rowsOf.get(key) ?? []),
        response_latency_ms: presentLatency(latencies.groups.get(key) ?? NO_TURNS),
      })),
      by_agent: agents.map(({ id, sums }) => ({
        agent_id: id || null,
        name: names.get(id) ?? null,
        ...sums,
      })),
    };
  }
}

function presentLatency({ turns, percentiles: [p50 = null, p95 = null, p99 = null] }: LatencyFigures) {
  return { turns, p50, p95, p99 };
}
