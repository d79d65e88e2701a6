import type { CallStatus, EndReason } from '@voice/shared/contracts/primitives';
import { derivedId, type TenantId } from '@voice/shared/ids/ids';
import { pathTo, statusOfEnd } from './call-state.js';
import type { CallDocument, CallModel, TimelineEntry } from './model.js';

/** What is known of a call's new status. Times are epoch ms. */
export type StatusChange =
  | { readonly to: 'RINGING' | 'IN_PROGRESS'; readonly at: number; readonly cause: string }
  | {
      readonly to: 'ended';
      readonly at: number;
      readonly cause: string;
      readonly endReason: EndReason;
      /** From the start of the media stream; where unknown it is counted from the answer. */
      readonly durationMs?: number;
      readonly errorCode?: string | null;
      readonly errorMessage?: string | null;
      /** Overrides the status that the reason stands for: a call cancelled before its answer failed. */
      readonly status?: CallStatus;
    };

export interface ChangeResult {
  /** Whether this very change moved the call. */
  readonly applied: boolean;
  readonly status: CallStatus;
}

/** Statuses that tenants are told of. */
export const TOLD_STATUSES: readonly CallStatus[] = ['IN_PROGRESS', 'COMPLETED', 'FAILED'];

const EVENT_TYPE: Readonly<Record<CallStatus, string>> = {
  QUEUED: 'call.queued',
  RINGING: 'call.ringing',
  IN_PROGRESS: 'call.started',
  COMPLETED: 'call.completed',
  FAILED: 'call.failed',
  BUSY: 'call.busy',
  NO_ANSWER: 'call.no_answer',
  VOICEMAIL: 'call.voicemail',
};

/** The timeline entry of a status; a call enters each at most once, so its id needs no more. */
export function statusEntry(callId: string, status: CallStatus, at: number, data: object): TimelineEntry {
  return {
    id: derivedId(callId, `status:${status}`),
    type: EVENT_TYPE[status],
    at: new Date(at),
    data: JSON.stringify(data),
  };
}

type Current = Pick<CallDocument, '_id' | 'status' | 'started_at'>;
type Update = { $set: Partial<CallDocument>; $push: { timeline: { $each: TimelineEntry[] } } };

/** The one update that makes the change from the current state; null when it changes nothing. Pure. */
export function planChange(current: Current, change: StatusChange, now: number): Update | null {
  const target =
    change.to === 'ended' ? (change.status ?? statusOfEnd(change.endReason, current.status)) : change.to;
  const path = pathTo(current.status, target);
  if (!path) return null;
  const set: Partial<CallDocument> = { status: target, updated_at: new Date(now) };
  const told = path.filter((status) => TOLD_STATUSES.includes(status)).at(-1);
  if (told) set.untold = told;
  const at = new Date(change.at);
  const startedAt =
    change.to === 'ended' && change.durationMs !== undefined ? new Date(change.at - change.durationMs) : at;
  const entries = path.map((status) => {
    if (status === 'RINGING') set.ringing_at = path.length === 1 ? at : startedAt;
    if (status === 'IN_PROGRESS') set.started_at = startedAt;
    const when = status === target ? change.at : startedAt.getTime();
    const data =
      status === target && change.to === 'ended'
        ? {
            cause: change.cause,
            end_reason: change.endReason,
            error_code: change.errorCode ?? null,
            error_message: change.errorMessage ?? null,
          }
        : { cause: change.cause };
    return statusEntry(current._id, status, when, data);
  });
  if (change.to === 'ended') {
    const answeredAt = set.started_at ?? current.started_at;
    set.ended_at = at;
    set.post_call_due_at = new Date(now);
    set.post_call_lease_until = new Date(0);
    set.end_reason = change.endReason;
    set.error_code = change.errorCode ?? null;
    set.error_message = change.errorMessage ?? null;
    set.duration_ms = change.durationMs ?? (answeredAt ? Math.max(0, change.at - answeredAt.getTime()) : 0);
    set.dispatch_lease_owner = null;
    set.transfer_in_progress = false;
  }
  return { $set: set, $push: { timeline: { $each: entries } } };
}

/**
 * Makes the change by one conditional update: two that compete never both win, and whoever loses looks
 * again from the new status. A change that the state machine does not allow (any more) does nothing.
 */
export async function applyChange(
  calls: CallModel,
  tenantId: TenantId,
  callId: string,
  change: StatusChange,
  now: number,
): Promise<ChangeResult | null> {
  for (;;) {
    const current = await calls
      .findOne({ _id: callId, tenant_id: tenantId }, { status: 1, started_at: 1 })
      .lean<Current>();
    if (!current) return null;
    const update = planChange(current, change, now);
    if (!update) return { applied: false, status: current.status };
    const written = await calls.updateOne(
      { _id: callId, tenant_id: tenantId, status: current.status },
      update,
    );
    if (written.matchedCount === 1) {
      return { applied: true, status: update.$set.status ?? current.status };
    }
  }
}

/**
 * Records something that happened besides the status, once: `name` tells repeats apart. `set` is written
 * in the same update. False when it was recorded before, or the call is unknown.
 */
export async function recordOnce(
  calls: CallModel,
  tenantId: TenantId,
  callId: string,
  entry: { readonly name: string; readonly type: string; readonly at: number; readonly data: object },
  set: Partial<CallDocument> = {},
): Promise<boolean> {
  const id = derivedId(callId, entry.name);
  const written = await calls.updateOne(
    { _id: callId, tenant_id: tenantId, 'timeline.id': { $ne: id } },
    {
      $set: set,
      $push: {
        timeline: { id, type: entry.type, at: new Date(entry.at), data: JSON.stringify(entry.data) },
      },
    },
  );
  return written.matchedCount === 1;
}
