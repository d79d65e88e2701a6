import type { Clock } from '@voice/shared/clock/clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { recordOnce } from '../calls/call-changes.js';
import { tenantOf } from '../calls/call-ending.js';
import { callEventBase, emitCallEvent } from '../calls/call-webhook-events.js';
import type { CallDocument, CallModel } from '../calls/model.js';
import type { TenantEvents } from '../events/tenant-events.js';
import { factsOf } from './call-facts.js';
import { DONE, type PostCallStep } from './step.js';

/** How long an announced recording holds up the steps after it, in ms. One that comes later is still told. */
export const RECORDING_DUE_MS = 30_000;
const LOOK_AGAIN_MS = 2000;

export interface RecordingStepOptions {
  readonly calls: CallModel;
  readonly eventsOf: (call: CallDocument) => Promise<CallEvent[]>;
  readonly recordingUrl: (call: CallDocument) => Promise<string>;
  readonly events: TenantEvents;
  readonly clock: Clock;
}

/** Waits for the recording where there is one, and tells `recording.ready`. An upload makes it run again. */
export function recordingStep(options: RecordingStepOptions): PostCallStep {
  const { calls, events, clock } = options;
  return {
    name: 'recording',
    async run(call) {
      const { recording } = call;
      if (recording) {
        await emitCallEvent(events, call, 'recording.ready', recording.stored_at.getTime(), {
          ...callEventBase(call),
          recording_url: await options.recordingUrl(call),
          duration_ms: recording.duration_ms ?? call.duration_ms ?? 0,
        });
        return DONE;
      }
      const { ended } = factsOf(await options.eventsOf(call));
      if (!ended?.has_recording) return DONE;
      const now = clock.now();
      if (now < ended.at + RECORDING_DUE_MS) return { kind: 'waiting', lookAgainAt: now + LOOK_AGAIN_MS };
      await recordOnce(calls, tenantOf(call), call._id, {
        name: 'recording_overdue',
        type: 'recording.overdue',
        at: now,
        data: { waited_ms: RECORDING_DUE_MS },
      });
      return DONE;
    },
  };
}
