import { isTerminal } from '../calls/record/call-state.js';
import type { CallDocument } from '../calls/record/model.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';

/** The post-call step that enters what a call cost in the ledger. Kept with calls: never renamed. */
export const COST_STEP = 'cost';

const MINUTE_MS = 60_000;

/** What of a call decides how much is held for it. */
export type HeldCall = Pick<
  CallDocument,
  | 'status'
  | 'carrier'
  | 'direction'
  | 'to_number'
  | 'hold_per_minute'
  | 'created_at'
  | 'started_at'
  | 'duration_ms'
  | 'post_call_due_at'
  | 'post_call_done'
>;

/**
 * Returns what is held of a tenant's credit and daily cap for a production call: every started minute, the first one
 * from the call's creation, until the ledger has what it cost. Nothing for one that nobody answered. `assumed` is a
 * minute's worth of a call of which none was noted. Pure.
 */
export function holdOf(call: HeldCall, now: number, assumed: (call: HeldCall) => MicroDollars): MicroDollars {
  const perMinute = call.hold_per_minute ?? assumed(call);
  const { started_at: startedAt, duration_ms: durationMs } = call;
  if (isTerminal(call.status)) {
    const charged = !call.post_call_due_at || call.post_call_done?.includes(COST_STEP);
    return charged || !startedAt ? 0 : minutes(durationMs ?? 0) * perMinute;
  }
  return minutes(startedAt ? now - startedAt.getTime() : 0) * perMinute;
}

function minutes(ms: number): number {
  return Math.max(1, Math.ceil(ms / MINUTE_MS));
}

/**
 * Returns how many admissions no call has come of yet. Calls are created after they are admitted, so each takes one of
 * the admissions before it, whichever. Both in epoch ms, in any order: the clocks of replicas differ. Pure.
 */
export function admissionsWithoutCall(admittedAt: readonly number[], createdAt: readonly number[]): number {
  const admitted = [...admittedAt].sort((a, b) => a - b);
  let seen = 0;
  let without = 0;
  for (const created of [...createdAt].sort((a, b) => a - b)) {
    while (seen < admitted.length && admitted[seen]! <= created) {
      seen++;
      without++;
    }
    if (without > 0) without--;
  }
  return without + admitted.length - seen;
}
