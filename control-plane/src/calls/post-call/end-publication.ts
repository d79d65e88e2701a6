import { endEvent, type SignedAddress } from '../record/call-webhook-events.js';
import type { CallDocument } from '../record/model.js';
import { hasDone, type Publication } from './publication.js';

/** Steps whose results the event of a successful end carries. */
const FIELDS_OF_END = ['analysis', 'cost'] as const;

export interface EndPublicationOptions {
  /** Publishes what happened before the end: answered, hung up. The call has ended: no further status is pending. */
  readonly publishProgress: (call: CallDocument) => Promise<void>;
  readonly recordingUrl: (call: CallDocument) => Promise<SignedAddress | null>;
  /** What the call cost, as far as it is known, in USD. */
  readonly costUsd: (call: CallDocument) => Promise<number | null>;
}

/**
 * `call.completed` or `call.failed`. A completed call's waits for outcome, summary, cost and recording, but no longer
 * than it may be held; what comes later is null in it.
 */
export function endPublication(options: EndPublicationOptions): Publication {
  return {
    name: 'end',
    isReady(call, now) {
      if (call.status !== 'COMPLETED' && call.status !== 'VOICEMAIL') return true;
      if (now >= (call.end_held_until?.getTime() ?? 0)) return true;
      return isRecordingSettled(call) && FIELDS_OF_END.every((step) => hasDone(call, step));
    },
    async publish(call, notBefore, events) {
      await options.publishProgress(call);
      const [recording, costUsd] = await Promise.all([options.recordingUrl(call), options.costUsd(call)]);
      const event = endEvent(call, recording, costUsd);
      if (!event) return notBefore;
      const occurredAt = Math.max(event.occurredAt, notBefore);
      events.add({ ...event, occurredAt });
      return occurredAt;
    },
  };
}

/** Returns whether the recording is there, or nobody waits for it, or not any more: its step comes after the cost's. */
export function isRecordingSettled(call: CallDocument): boolean {
  return call.recording !== null || call.recording_expected === false || hasDone(call, 'recording');
}
