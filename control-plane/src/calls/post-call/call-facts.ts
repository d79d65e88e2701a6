import { type CallEvent, type CallUsage, callUsage } from '@voice/shared/contracts/call-events';
import { type CallRecord, recordOf } from '../record/call-record.js';
import type { CallDocument } from '../record/model.js';

/** How long the last events of a call may be on their way when something else ended it, in ms. */
const LAST_EVENTS_MS = 15_000;

type Ended = Extract<CallEvent, { kind: 'ended' }>;

/** What a call's worker reported of it, added up. */
export interface CallFacts {
  readonly record: CallRecord;
  /** The worker's last word; undefined when it never came. */
  readonly ended: Ended | undefined;
}

export function factsOf(events: readonly CallEvent[]): CallFacts {
  const ended = events.findLast((event): event is Ended => event.kind === 'ended');
  return { record: recordOf(events), ended };
}

/** Until when the worker's last events are waited for, epoch ms; undefined when nothing is to be waited for. */
export function lastEventsDueBy(call: CallDocument, facts: CallFacts, now: number): number | undefined {
  if (facts.ended || !call.media_started_at || call.end_reason === 'worker_lost') return undefined;
  const until = (call.ended_at ?? call.updated_at).getTime() + LAST_EVENTS_MS;
  return now < until ? until : undefined;
}

/**
 * Until when the worker's word is waited for of what it took to prepare a call that was not answered, epoch ms;
 * undefined when nothing is to be waited for.
 */
export function preparedUsageDueBy(call: CallDocument, facts: CallFacts, now: number): number | undefined {
  const isUnanswered = !facts.ended && !call.media_started_at && (call.worker_id ?? null) !== null;
  if (!isUnanswered || call.prepared_usage !== undefined || call.end_reason === 'worker_lost')
    return undefined;
  const until = (call.ended_at ?? call.updated_at).getTime() + LAST_EVENTS_MS;
  return now < until ? until : undefined;
}

/** Returns what the call's worker used; null when its last word never came. */
export function usageOf(call: CallDocument, { ended }: CallFacts): CallUsage | null {
  if (ended) return ended.usage;
  return callUsage.nullable().parse(JSON.parse(call.prepared_usage ?? 'null'));
}
