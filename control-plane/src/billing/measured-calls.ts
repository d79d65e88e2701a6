import { type TurnStages, turnStages } from '../calls/turn-stages.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import type { UsageModel, UsageRow } from './usage-model.js';

/** What a call came to. */
export interface MeasuredCall {
  readonly id: string;
  readonly durationMs: number;
  readonly cost: MicroDollars;
  /** Of all its turns, in ms. */
  readonly responseLatenciesMs: readonly number[];
  /** Of its first turns that were answered; none in records from before they were kept. */
  readonly turns: readonly TurnStages[];
}

type Measured = Pick<UsageRow, '_id' | 'duration_ms' | 'total' | 'response_latencies_ms' | 'turn_stages'>;

/** Reads what the calls came to, from their records of usage: of those that are charged. */
export async function measuredCalls(
  usage: UsageModel,
  scope: TenantScope,
  callIds: readonly string[],
): Promise<MeasuredCall[]> {
  const rows = await usage
    .find(
      { ...ownedBy(scope), _id: { $in: [...callIds] } },
      { duration_ms: 1, total: 1, response_latencies_ms: 1, turn_stages: 1 },
    )
    .lean<Measured[]>()
    .exec();
  return rows.map((row) => ({
    id: row._id,
    durationMs: row.duration_ms,
    cost: row.total,
    responseLatenciesMs: row.response_latencies_ms,
    turns: turnStages(row.turn_stages ?? []),
  }));
}
