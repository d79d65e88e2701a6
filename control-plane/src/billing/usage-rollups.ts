import type { CallCost } from '../platform/money/call-cost.js';
import { COST_PARTS } from '../platform/money/call-cost.js';
import { binOf, percentileOf } from '../platform/rollups/histogram.js';
import {
  type RollupPart,
  type RollupSource,
  Rollups,
  type RollupsOptions,
} from '../platform/rollups/rollups.js';
import { addedUp, partsBy, Tally } from '../platform/rollups/sums.js';
import { ownedBy, scopeName, scopeOf, type TenantScope } from '../platform/store/tenant-scope.js';
import type { UsageModel, UsageRow } from './usage-model.js';
import { REALTIME_COUNTS, type RealtimeTotals } from './used-segments.js';

type RealtimeSums = { readonly [name in keyof RealtimeTotals as `realtime_${name}`]: number };

/** What usage is summed up by; costs in micro-dollars. */
export interface UsageSums extends Omit<CallCost, 'wasted'>, RealtimeSums {
  readonly calls: number;
  readonly answered: number;
  readonly duration_ms: number;
  readonly stt_audio_ms: number;
  readonly llm_input_tokens: number;
  readonly llm_output_tokens: number;
  readonly tts_characters: number;
  readonly carrier_minutes: number;
}

/** The subject of its rows, by the day on which calls ended. */
const SUBJECT = 'usage';
/** Before the bin of a response latency. */
const LATENCY = 'latency|';
/** Records in one read. */
const READ = 1000;

/** Percentiles of the response latency, in ms, and of how many turns. */
interface LatencyFigures {
  readonly turns: number;
  /** In the order of the shares that were asked for; null without any turn. */
  readonly percentiles: readonly (number | null)[];
}

interface LatencyGroupsQuery {
  readonly scope: TenantScope;
  /** Epoch ms, inclusive. */
  readonly since: number;
  /** Epoch ms, exclusive. */
  readonly until: number;
  /** 0 to 1. */
  readonly shares: readonly number[];
  /** The group of a day (epoch ms). */
  readonly groupOf: (day: number) => string;
}

/** Records of usage are final when they are written. */
type CountedUsage = UsageRow;

interface UsageRollupsOptions extends Pick<RollupsOptions<CountedUsage>, 'rows' | 'states'> {
  readonly usage: UsageModel;
}

/** What tenants used, by day: kept as calls are charged, and right at every moment. */
export class UsageRollups {
  readonly #usage: UsageModel;
  readonly rollups: Rollups<CountedUsage>;

  constructor({ usage, ...store }: UsageRollupsOptions) {
    this.#usage = usage;
    this.rollups = new Rollups({ ...store, source: usageSource(usage) });
  }

  /** Returns the sums of each day since then that has any (epoch ms). */
  since(scope: TenantScope, since: number, until?: number): Promise<RollupPart[]> {
    const query = { subjects: [SUBJECT], since, ...(until === undefined ? {} : { until }) };
    return this.rollups.view(scope, query, () =>
      this.#usage
        .find({ ...ownedBy(scope), rollup_seq: null })
        .lean<UsageRow[]>()
        .exec(),
    );
  }

  /** Returns percentiles of the response latency over the calls that ended since, in ms; null without any. */
  async responseLatencies({
    scope,
    since,
    shares,
  }: {
    readonly scope: TenantScope;
    readonly since: Date;
    readonly shares: readonly number[];
  }): Promise<(number | null)[]> {
    const sums = addedUp((await this.since(scope, since.getTime())).map((part) => part.sums));
    return shares.map((share) => percentileOf(sums, LATENCY, share));
  }

  /** Returns the latencies of the calls that ended in groups of days, and of all of them together. */
  async latencyGroups({ scope, since, until, shares, groupOf }: LatencyGroupsQuery): Promise<{
    readonly all: LatencyFigures;
    readonly groups: ReadonlyMap<string, LatencyFigures>;
  }> {
    const parts = await this.since(scope, since, until);
    const figuresOf = (some: readonly RollupPart[]) => latencyFigures(some, shares);
    const groups = partsBy(parts, ({ day }) => groupOf(day));
    return {
      all: figuresOf(parts),
      groups: new Map([...groups].map(([group, some]) => [group, figuresOf(some)])),
    };
  }
}

function latencyFigures(parts: readonly RollupPart[], shares: readonly number[]): LatencyFigures {
  const sums = addedUp(parts.map((part) => part.sums));
  const turns = Object.entries(sums).reduce(
    (count, [name, value]) => (name.startsWith(LATENCY) ? count + value : count),
    0,
  );
  return { turns, percentiles: shares.map((share) => percentileOf(sums, LATENCY, share)) };
}

function usageSource(usage: UsageModel): RollupSource<CountedUsage> {
  return {
    name: 'usage',
    subjects: [SUBJECT],
    due: (scope, limit) =>
      usage
        .find({ ...ownedBy(scope), rollup_seq: null })
        .limit(limit)
        .lean<UsageRow[]>()
        .exec(),
    async owners(limit) {
      const found = await usage
        .find({ rollup_seq: null }, { tenant_id: 1, sandbox: 1 })
        .limit(limit)
        .lean<Pick<UsageRow, 'tenant_id' | 'sandbox'>[]>();
      return [...new Map(found.map((row) => [scopeName(scopeOf(row)), scopeOf(row)])).values()];
    },
    async *counted(scope) {
      const cursor = usage
        .find({ ...ownedBy(scope), rollup_seq: { $gt: 0 } })
        .lean<UsageRow[]>()
        .cursor({ batchSize: READ });
      for await (const row of cursor) yield [row as unknown as UsageRow];
    },
    counter() {
      const tally = new Tally();
      return {
        add: async (rows) => {
          for (const row of rows) tallyUsage(tally, row);
        },
        changes: () => tally.changes(),
      };
    },
    async mark(scope, ids, seq) {
      await usage.updateMany(
        { ...ownedBy(scope), _id: { $in: [...ids] }, rollup_seq: null },
        { $set: { rollup_seq: seq } },
      );
    },
  };
}

/** Adds a record to the day on which its call ended. */
function tallyUsage(tally: Tally, row: UsageRow): void {
  const add = tally.row(SUBJECT, '', row.ended_at.getTime());
  // Test sessions cost what they cost, and are no calls.
  if (!row.test_session) {
    add('calls');
    add('answered', row.answered ? 1 : 0);
    for (const latency of row.response_latencies_ms) add(`${LATENCY}${binOf(latency)}`);
  }
  add('duration_ms', row.duration_ms);
  add('stt_audio_ms', row.stt_audio_ms);
  add('llm_input_tokens', row.llm_input_tokens);
  add('llm_output_tokens', row.llm_output_tokens);
  add('tts_characters', row.tts_characters);
  add('carrier_minutes', row.carrier_minutes);
  for (const name of REALTIME_COUNTS) add(`realtime_${name}`, row.realtime?.[name] ?? 0);
  for (const part of COST_PARTS) add(part, row.cost[part]);
}
