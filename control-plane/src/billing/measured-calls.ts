import type { MicroDollars } from '../platform/money/micro-dollars.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import type { UsageModel, UsageRow } from './usage-model.js';

/** What some calls came to. */
export interface MeasuredCalls {
  /** How many of them are charged. */
  readonly calls: number;
  readonly durationMs: number;
  readonly cost: MicroDollars;
  /** Of all their turns, in ms. */
  readonly responseLatenciesMs: readonly number[];
}

type Measured = Pick<UsageRow, 'duration_ms' | 'total' | 'response_latencies_ms'>;

/** Reads what the calls came to, from their records of usage. */
export async function measuredCalls(
  usage: UsageModel,
  scope: TenantScope,
  callIds: readonly string[],
): Promise<MeasuredCalls> {
  const rows = await usage
    .find(
      { ...ownedBy(scope), _id: { $in: [...callIds] } },
      { duration_ms: 1, total: 1, response_latencies_ms: 1 },
    )
    .lean<Measured[]>()
    .exec();
  const sum = (of: (row: Measured) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    calls: rows.length,
    durationMs: sum((row) => row.duration_ms),
    cost: sum((row) => row.total),
    responseLatenciesMs: rows.flatMap((row) => row.response_latencies_ms),
  };
}
