import { CALL_STATUSES, type CallStatus } from '@voice/shared/contracts/primitives';
import { LIVE_STATUSES } from '../calls/record/call-state.js';
import { toUsd } from '../platform/money/micro-dollars.js';
import type { RollupPart } from '../platform/rollups/rollups.js';
import type { OverviewResponse } from './schemas.js';

const LIVE: readonly CallStatus[] = LIVE_STATUSES;

/** Calls of one day and status. */
export interface StatusSums {
  /** As `2026-11-22`, in UTC. */
  readonly day: string;
  readonly status: CallStatus;
  readonly calls: number;
  readonly answered: number;
  /** Of the answered calls alone. */
  readonly answered_ms: number;
  readonly duration_ms: number;
  /** In micro-dollars. */
  readonly cost: number;
}

/** Returns the calls of some rows by day and status. Pure. */
export function statusSums(parts: readonly RollupPart[]): StatusSums[] {
  return parts.flatMap(({ day, sums }) =>
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

/** Adds calls up, as answers show them. Pure. */
export function sumsOf(rows: readonly StatusSums[]) {
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

/** Returns how many calls are in each status. Pure. */
export function byStatus(rows: readonly StatusSums[]): OverviewResponse['by_status'] {
  return Object.fromEntries(
    CALL_STATUSES.map((status) => [status, sumsOf(rows.filter((row) => row.status === status)).calls]),
  ) as OverviewResponse['by_status'];
}

/** Returns what share of the calls that are over was answered and completed, and how long they were. Pure. */
export function rates(rows: readonly StatusSums[]) {
  const finished = rows.filter(({ status }) => !LIVE.includes(status));
  const { calls: over, answered, completed } = sumsOf(finished);
  const answeredMs = finished.reduce((total, row) => total + row.answered_ms, 0);
  return {
    live: sumsOf(rows).calls - over,
    answer_rate: over === 0 ? null : answered / over,
    completion_rate: over === 0 ? null : completed / over,
    average_duration_ms: answered === 0 ? null : answeredMs / answered,
  };
}
