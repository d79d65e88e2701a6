import type { Clock } from '@voice/shared/clock/clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { recordAfterEnd } from '../record/call-changes.js';
import { addCallEvent, callEventBase, type SignedAddress } from '../record/call-webhook-events.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import { factsOf } from './call-facts.js';
import { isRecordingSettled } from './end-publication.js';
import type { Publication } from './publication.js';
import { DONE, type PostCallStep } from './step.js';

/** How long an announced recording is waited for, in ms. One that comes later is still published. */
const RECORDING_DUE_MS = 30_000;
const LOOK_AGAIN_MS = 2000;

export interface RecordingStepOptions {
  readonly calls: CallModel;
  readonly eventsOf: (call: CallDocument) => Promise<readonly CallEvent[]>;
  readonly clock: Clock;
}

/** Waits for the recording where there is one. An upload makes it run again. */
export function recordingStep(options: RecordingStepOptions): PostCallStep {
  const { calls, clock } = options;
  return {
    name: 'recording',
    isNothing: (call) => call.recording !== null || call.recording_expected === false,
    async run(call) {
      const { ended } = factsOf(await options.eventsOf(call));
      if (!ended?.has_recording) return DONE;
      const now = clock.now();
      if (now < ended.at + RECORDING_DUE_MS) return { kind: 'waiting', lookAgainAt: now + LOOK_AGAIN_MS };
      await recordAfterEnd(calls, tenantOf(call), call._id, {
        name: 'recording_overdue',
        type: 'recording.overdue',
        at: now,
        data: { waited_ms: RECORDING_DUE_MS },
      });
      return DONE;
    },
  };
}

export interface RecordingPublicationOptions {
  readonly recordingUrl: (call: CallDocument) => Promise<SignedAddress | null>;
}

/** `recording.ready`, of a call that has a recording. */
export function recordingPublication({ recordingUrl }: RecordingPublicationOptions): Publication {
  return {
    name: 'recording',
    isReady: isRecordingSettled,
    async publish(call, notBefore, events) {
      const { recording } = call;
      const address = await recordingUrl(call);
      if (!recording || !address) return notBefore;
      const at = Math.max(notBefore, recording.stored_at.getTime());
      addCallEvent(events, call, 'recording.ready', at, {
        ...callEventBase(call),
        recording_url: address.url,
        recording_url_expires_at: address.expiresAt.toISOString(),
        duration_ms: recording.duration_ms ?? call.duration_ms ?? 0,
      });
      return at;
    },
  };
}
