import { z } from 'zod';
import type { CallDocument, TimelineEntry } from '../record/model.js';

/** What of an entry's data names, quotes or describes nobody. */
const KEPT_OF_ENTRIES: ReadonlySet<string> = new Set([
  'agent_id',
  'at_ms',
  'cause',
  'duration_ms',
  'end_reason',
  'error_code',
  'from_agent_id',
  'size_bytes',
  'turns_count',
  'waited_ms',
]);

const entryData = z.record(z.string(), z.unknown());

/** Stands for a number that is erased; no number is empty. */
export const NO_NUMBER = '';

/**
 * Returns the fields of a call in which somebody is named, quoted or described, as they are once it is erased. The
 * tenant's own number stays, and all that was counted: status, times, outcome, cost. Pure.
 */
export function erasedFields({ direction }: Pick<CallDocument, 'direction'>) {
  return {
    ...(direction === 'outbound' ? { to_number: NO_NUMBER } : { from_number: NO_NUMBER }),
    agent_snapshot: '',
    analysis_settings: null,
    // Without it nobody reads the archive, whatever copies a bucket keeps.
    archive_secret: null,
    archived_at: null,
    decision_log_key: null,
    disclosure: null,
    error_message: null,
    handoffs: null,
    metadata: '{}',
    recording: null,
    summary: null,
    variables: '{}',
    waveform: null,
  } as const satisfies Partial<CallDocument>;
}

/** Returns what is left of a timeline: what happened when, and codes. Pure. */
export function erasedTimeline(timeline: readonly TimelineEntry[]): TimelineEntry[] {
  return timeline.map((entry) => {
    const data = Object.entries(entryData.parse(JSON.parse(entry.data)));
    return {
      ...entry,
      data: JSON.stringify(Object.fromEntries(data.filter(([name]) => KEPT_OF_ENTRIES.has(name)))),
    };
  });
}

/** A call, or what was read of it. */
type Shown = Pick<CallDocument, 'direction' | 'erasing_at'> & Partial<Pick<CallDocument, 'timeline'>>;

/** Returns a call as it may be shown: from the moment on at which its erasure was asked for, as an erased one. Pure. */
export function asShown<Call extends Shown>(call: Call): Call {
  if (!call.erasing_at) return call;
  return {
    ...call,
    ...erasedFields(call),
    // Lists are read without it.
    ...(call.timeline ? { timeline: erasedTimeline(call.timeline) } : {}),
  };
}
