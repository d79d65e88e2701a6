import type { CallEvent } from '@voice/shared/contracts/call-events';
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
