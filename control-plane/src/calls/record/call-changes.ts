import type { CallStatus, EndReason } from '@voice/shared/contracts/primitives';
import { derivedId, newId, type TenantId } from '@voice/shared/ids/ids';
import type { mongo } from 'mongoose';
import type { ConditionalUpdate } from '../../platform/store/conditional-updates.js';
import type { TenantKey } from '../../platform/store/tenant-scope.js';
import { pathTo, statusOfEnd } from './call-state.js';
import { gatheredCalls } from './gathered-calls.js';
import type { CallDocument, CallModel, TimelineEntry } from './model.js';
import { PENDING_STATUS } from './pending-status.js';

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
      /** Whether a recording is to come; undefined where only the worker knows. */
      readonly hasRecording?: boolean;
      /** Overrides the status that the reason stands for: a call cancelled before its answer failed. */
      readonly status?: CallStatus;
    };

export interface ChangeResult {
  /** Whether this very change moved the call. */
  readonly applied: boolean;
  readonly status: CallStatus;
}

/** Statuses with an event that goes out at once. That of the end itself is published by `end-publisher.ts`. */
export const PUBLISHED_STATUSES: readonly CallStatus[] = ['IN_PROGRESS', 'COMPLETED'];

/**
 * How long the event of an end is held until its fields are known, in ms. A publisher looks within two seconds of
 * a due time, so that it goes out no later than 15 s after the end.
 */
const END_HOLD_MS = 12_000;
/** How long what a lost worker had spooled is waited for, in ms. */
const SPOOL_WAIT_MS = 60_000;

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

/** Builds the timeline entry of a status; a call enters each at most once, so its id needs no more. */
export function statusEntry(callId: string, status: CallStatus, at: number, data: object): TimelineEntry {
  return {
    id: derivedId(callId, `status:${status}`),
    type: EVENT_TYPE[status],
    at: new Date(at),
    data: JSON.stringify(data),
  };
}

/** What a change depends on. */
export type Current = Pick<CallDocument, '_id' | 'status' | 'queued_at' | 'ringing_at' | 'started_at'>;
const CURRENT = { status: 1, queued_at: 1, ringing_at: 1, started_at: 1 } as const;

type Update = { $set: Partial<CallDocument>; $push: { timeline: { $each: TimelineEntry[] } } };

/** Returns when the call entered the status that it has, in epoch ms: what comes later did not happen earlier. */
function enteredAt({ queued_at, ringing_at, started_at }: Current): number {
  return Math.max(queued_at.getTime(), ringing_at?.getTime() ?? 0, started_at?.getTime() ?? 0);
}

/**
 * Plans the one update that makes the change from the current state; null when it changes nothing. Carriers report the
 * time in whole seconds and workers by their own clocks: times are clamped so that they never run backwards. Pure.
 */
export function planChange(current: Current, change: StatusChange, now: number): Update | null {
  const target =
    change.to === 'ended' ? (change.status ?? statusOfEnd(change.endReason, current.status)) : change.to;
  const path = pathTo(current.status, target);
  if (!path) return null;
  const set: Partial<CallDocument> = { status: target, updated_at: new Date(now) };
  const pending = path.filter((status) => PUBLISHED_STATUSES.includes(status)).at(-1);
  if (pending) set[PENDING_STATUS] = pending;
  const earliest = enteredAt(current);
  const at = new Date(Math.max(earliest, change.at));
  const startedAt =
    change.to === 'ended' && change.durationMs !== undefined
      ? new Date(Math.max(earliest, change.at - change.durationMs))
      : at;
  const entries = path.map((status) => {
    if (status === 'RINGING') set.ringing_at = path.length === 1 ? at : startedAt;
    if (status === 'IN_PROGRESS') set.started_at = startedAt;
    const when = (status === target ? at : startedAt).getTime();
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
    const isLost = change.endReason === 'worker_lost';
    const dueAt = new Date(isLost ? now + SPOOL_WAIT_MS : now);
    set.spool_due_at = isLost ? dueAt : null;
    if (isLost) set.lost_at = new Date(now);
    set.post_call_due_at = dueAt;
    set.end_held_until = new Date(Math.min(at.getTime(), now) + END_HOLD_MS);
    // The step that completes what a held end waits for looks earlier.
    const isHeld = target === 'COMPLETED' || target === 'VOICEMAIL';
    set.publish_due_at = isHeld ? new Date(Math.max(now, set.end_held_until.getTime())) : dueAt;
    set.post_call_lease_until = new Date(0);
    set.end_reason = change.endReason;
    set.error_code = change.errorCode ?? null;
    set.error_message = change.errorMessage ?? null;
    set.duration_ms = change.durationMs ?? (answeredAt ? at.getTime() - answeredAt.getTime() : 0);
    if (change.hasRecording !== undefined) set.recording_expected = change.hasRecording;
    set.dispatch_lease_owner = null;
    set.transfer_in_progress = false;
  }
  return { $set: set, $push: { timeline: { $each: entries } } };
}

/** An update of a call that records what no other update has recorded. */
interface RecordedUpdate {
  readonly filter: ConditionalUpdate<CallDocument>['filter'];
  readonly set: Partial<CallDocument>;
  readonly entries: readonly TimelineEntry[];
}

/** Builds the update, whose last entry shows afterwards that this very write was made. */
function recorded({ filter, set, entries }: RecordedUpdate): ConditionalUpdate<CallDocument> {
  const write = newId();
  const last = entries.at(-1)!;
  const { _id, tenant_id } = filter;
  return {
    filter,
    update: {
      ...(Object.keys(set).length > 0 ? { $set: set } : {}),
      $push: { timeline: { $each: [...entries.slice(0, -1), { ...last, write }] } },
    },
    applied: {
      _id,
      tenant_id,
      timeline: { $elemMatch: { id: last.id, write } },
    } as mongo.Filter<CallDocument> & TenantKey,
  };
}

/**
 * Makes the change by one conditional update: two that compete never both win, and the loser looks
 * again from the new status. A change that the state machine does not allow (any more) does nothing.
 * @param seen the call as it was read last, which saves reading it where it has not moved since
 */
export async function applyChange(
  calls: CallModel,
  tenantId: TenantId,
  callId: string,
  change: StatusChange,
  now: number,
  seen?: Current,
): Promise<ChangeResult | null> {
  const { reads, changes } = gatheredCalls(calls);
  for (let known = seen; ; known = undefined) {
    const current: Current | null = known ?? (await reads.get(tenantId, callId));
    if (!current) return null;
    const update = planChange(current, change, now);
    if (!update && known) continue;
    if (!update) return { applied: false, status: current.status };
    const isMade = await changes.make(
      recorded({
        filter: { _id: callId, tenant_id: tenantId, status: current.status },
        set: update.$set,
        entries: update.$push.timeline.$each,
      }),
    );
    if (isMade) return { applied: true, status: update.$set.status ?? current.status };
  }
}

/**
 * Makes the one exception to "terminal statuses never change": a lost worker had spooled how the call really ended,
 * before it was lost. Possible until the spool was given up; the timeline shows it. Returns the status that is true;
 * null where the call was not lost, or it is too late.
 */
export async function correctLoss(
  calls: CallModel,
  tenantId: TenantId,
  callId: string,
  end: Extract<StatusChange, { to: 'ended' }>,
  now: number,
): Promise<CallStatus | null> {
  const lost = { _id: callId, tenant_id: tenantId, status: 'FAILED', spool_due_at: { $ne: null } } as const;
  const call = await calls.findOne(lost, { ...CURRENT, lost_at: 1 }).lean<Current & LostCall>();
  if (!call || end.endReason === 'worker_lost') return null;
  if (end.at > call.lost_at.getTime()) return null;
  const before = call.started_at ? 'IN_PROGRESS' : call.ringing_at ? 'RINGING' : 'QUEUED';
  const update = planChange({ ...call, status: before }, end, now);
  if (!update?.$set.status) return null;
  const { status } = update.$set;
  // One that stays a failure has its entry already.
  const entries = update.$push.timeline.$each.filter(({ type }) => type !== EVENT_TYPE.FAILED);
  const corrected: TimelineEntry = {
    id: derivedId(callId, 'loss_corrected'),
    type: 'call.corrected',
    at: new Date(now),
    data: JSON.stringify({ from: 'FAILED', to: status, cause: 'worker_spool', end_reason: end.endReason }),
  };
  const written = await calls.updateOne(lost, {
    $set: { ...update.$set, end_held_until: new Date(now + END_HOLD_MS) },
    $push: { timeline: { $each: [...entries, corrected] } },
  });
  return written.matchedCount === 1 ? status : null;
}

type LostCall = { readonly lost_at: Date };

/** An entry that a call has once, by its name; `at` is epoch ms. */
interface OneEntry {
  readonly name: string;
  readonly type: string;
  readonly at: number;
  readonly data: object;
}

/**
 * Records something that happened besides the status, once: `name` identifies repeats. `set` is written
 * in the same update. False when it was recorded before, or the call is unknown.
 */
export function recordOnce(
  calls: CallModel,
  tenantId: TenantId,
  callId: string,
  entry: OneEntry,
  set: Partial<CallDocument> = {},
): Promise<boolean> {
  return gatheredCalls(calls).changes.make(recordedOnce(tenantId, callId, entry, set));
}

/** Records like `recordOnce` what happened after a call's end. */
export function recordAfterEnd(
  calls: CallModel,
  tenantId: TenantId,
  callId: string,
  entry: OneEntry,
  set: Partial<CallDocument> = {},
): Promise<boolean> {
  return gatheredCalls(calls).steps.make(recordedOnce(tenantId, callId, entry, set));
}

function recordedOnce(
  tenantId: TenantId,
  callId: string,
  entry: OneEntry,
  set: Partial<CallDocument>,
): ConditionalUpdate<CallDocument> {
  const id = derivedId(callId, entry.name);
  return recorded({
    filter: { _id: callId, tenant_id: tenantId, 'timeline.id': { $ne: id } },
    set,
    entries: [{ id, type: entry.type, at: new Date(entry.at), data: JSON.stringify(entry.data) }],
  });
}
