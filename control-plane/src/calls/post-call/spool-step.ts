import type { Clock } from '@voice/shared/clock/clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import { DONE, type PostCallStep } from './step.js';

export interface SpoolStepOptions {
  readonly calls: CallModel;
  readonly eventsOf: (call: CallDocument) => Promise<readonly CallEvent[]>;
  readonly clock: Clock;
}

/**
 * Until when the media of a lost call is known to have run, epoch ms: by what its worker said and recorded, at the
 * loss or in its spool. Pure.
 */
export function lastKnownMediaAt(
  call: Pick<CallDocument, 'ended_at' | 'media_started_at' | 'recording'>,
  events: readonly Pick<CallEvent, 'at'>[],
): number {
  const recordedUntil = (call.media_started_at?.getTime() ?? 0) + (call.recording?.duration_ms ?? 0);
  return Math.max(call.ended_at?.getTime() ?? 0, recordedUntil, ...events.map(({ at }) => at));
}

/**
 * Waits for what a lost worker had spooled of the call, and then closes the call's record: from here on no end
 * corrects it, and its length is what is known of its media. Calls that were not lost pass.
 */
export function spoolStep(options: SpoolStepOptions): PostCallStep {
  const { calls, clock } = options;
  return {
    name: 'spool',
    isNothing: (call) => !call.spool_due_at,
    async run(call) {
      if (!call.spool_due_at) return DONE;
      const now = clock.now();
      if (now < call.spool_due_at.getTime()) {
        return { kind: 'waiting', lookAgainAt: call.spool_due_at.getTime() };
      }
      const endedAt = lastKnownMediaAt(call, await options.eventsOf(call));
      const mediaFrom = call.media_started_at;
      const ended_at = new Date(endedAt);
      const duration_ms = mediaFrom ? Math.max(0, endedAt - mediaFrom.getTime()) : 0;
      // Not where an end of the spool was faster: then the record is what it says.
      await calls.updateOne(
        { _id: call._id, tenant_id: tenantOf(call), status: 'FAILED', spool_due_at: { $ne: null } },
        {
          $set: {
            spool_due_at: null,
            started_at: call.started_at ?? mediaFrom,
            ended_at,
            duration_ms,
            publish_due_at: new Date(now),
          },
        },
      );
      return DONE;
    },
  };
}
