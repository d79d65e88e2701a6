import type { Clock } from '@voice/shared/clock/clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { ReadsByTenantAndId } from '../../platform/store/reads-by-id.js';
import { recordAfterEnd } from '../record/call-changes.js';
import { addCallEvent, callEventBase } from '../record/call-webhook-events.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import type { TranscriptModel, TranscriptRow } from '../record/transcript-model.js';
import { factsOf, lastEventsDueBy } from './call-facts.js';
import { hasDone, type Publication } from './publication.js';
import { DONE, type PostCallStep } from './step.js';

/** How often the worker's last events are looked for, in ms. */
const LOOK_AGAIN_MS = 1000;

export interface TranscriptStepOptions {
  readonly calls: CallModel;
  readonly transcripts: TranscriptModel;
  readonly eventsOf: (call: CallDocument) => Promise<readonly CallEvent[]>;
  readonly clock: Clock;
}

/** Returns whether nothing can have been said, so that there is no transcript. */
const hadNoMedia = (call: CallDocument): boolean => !call.media_started_at;

/** Stores the transcript of a call that had a conversation. */
export function transcriptStep(options: TranscriptStepOptions): PostCallStep {
  const { calls, transcripts, clock } = options;
  return {
    name: 'transcript',
    isNothing: hadNoMedia,
    async run(call) {
      const facts = factsOf(await options.eventsOf(call));
      const now = clock.now();
      if (lastEventsDueBy(call, facts, now) !== undefined) {
        return { kind: 'waiting', lookAgainAt: now + LOOK_AGAIN_MS };
      }
      const { transcript } = facts.record;
      const row: TranscriptRow = {
        _id: call._id,
        tenant_id: call.tenant_id,
        agent_id: call.agent_id,
        campaign_id: call.campaign_id,
        turns_count: transcript.length,
        turns: JSON.stringify(transcript),
        created_at: new Date(now),
      };
      // The first one stays: what was published is what is kept.
      const kept = await transcripts
        .findOneAndUpdate(
          { _id: call._id, tenant_id: call.tenant_id },
          { $setOnInsert: row },
          { upsert: true, returnDocument: 'after' },
        )
        .orFail()
        .lean<TranscriptRow>();
      const at = kept.created_at.getTime();
      await recordAfterEnd(calls, tenantOf(call), call._id, {
        name: 'transcript_stored',
        type: 'transcript.stored',
        at,
        data: { turns_count: kept.turns_count },
      });
      return DONE;
    },
  };
}

export interface TranscriptPublicationOptions {
  readonly transcripts: TranscriptModel;
  readonly publicUrl: () => string;
}

/** `transcript.ready`, of a call that has a transcript. */
export function transcriptPublication(options: TranscriptPublicationOptions): Publication {
  const { publicUrl } = options;
  const reads = new ReadsByTenantAndId<TranscriptRow>(options.transcripts, ['turns']);
  return {
    name: 'transcript',
    isReady: (call) => hasDone(call, 'transcript'),
    async publish(call, notBefore, events) {
      if (hadNoMedia(call)) return notBefore;
      const row = await reads.get(call.tenant_id, call._id);
      if (!row) return notBefore;
      const at = Math.max(notBefore, row.created_at.getTime());
      addCallEvent(events, call, 'transcript.ready', at, {
        ...callEventBase(call),
        turns_count: row.turns_count,
        transcript_url: `${publicUrl()}/api/v1/calls/${call._id}/detail`,
      });
      return at;
    },
  };
}
