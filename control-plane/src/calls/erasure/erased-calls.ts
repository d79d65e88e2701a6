import type { Clock } from '@voice/shared/clock/clock';
import { derivedId } from '@voice/shared/ids/ids';
import { apiError } from '../../platform/http/error-codes.js';
import { keyOf, ownedBy, type TenantKey, type TenantScope } from '../../platform/store/tenant-scope.js';
import { type CallArchive, placeOf } from '../archive/call-archive.js';
import type { OperatorAudit } from '../operator-actions/audit.js';
import type { CallUploads } from '../post-call/uploads.js';
import { recordOnce } from '../record/call-changes.js';
import { isTerminal, TERMINAL_STATUSES } from '../record/call-state.js';
import { eventIdsWithTools, transferEventId, webhookEventIdsOf } from '../record/call-webhook-events.js';
import { gatheredCalls } from '../record/gathered-calls.js';
import type { CallDocument } from '../record/model.js';
import { PENDING_STATUS } from '../record/pending-status.js';
import type { CallRecords } from '../record/records.js';
import { tenantOf } from '../record/tenant-of.js';
import type { TransferModel } from '../transfers/model.js';
import { erasedFields, erasedTimeline, NO_NUMBER } from './erased-fields.js';

/**
 * When an erased call is erased once more, in ms: what somebody read before the mark, they may have written after it.
 */
const SECOND_PASS_MS = 60_000;
/** When to look again at a call whose post-call steps or events are not all out, in ms. */
const LOOK_AGAIN_MS = 5000;

export interface ErasedCallsOptions {
  readonly records: Pick<CallRecords, 'calls' | 'events' | 'transcripts' | 'analyses'>;
  readonly archive: CallArchive;
  readonly transfers: TransferModel;
  readonly audit: OperatorAudit;
  readonly uploads: Pick<CallUploads, 'eraseRecording' | 'eraseDecisionLog'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Erases what the room of calls keeps of a call. Each step may be made again. */
export class ErasedCalls {
  readonly #options: ErasedCallsOptions;

  constructor(options: ErasedCallsOptions) {
    this.#options = options;
  }

  /** Finds the call. Throws 404 `call_not_found`, and 409 `call_active` while it is live. */
  async require(scope: TenantScope, callId: string): Promise<CallDocument> {
    const call = await this.#options.records.calls
      .findOne({ _id: callId, ...ownedBy(scope) })
      .lean<CallDocument>();
    if (!call) throw apiError('call_not_found');
    if (!isTerminal(call.status)) throw apiError('call_active');
    return call;
  }

  /** Marks a call that is over: from here on nothing of it is shown, and the erasure is not forgotten. */
  async mark({ _id, tenant_id }: Pick<CallDocument, '_id' | 'tenant_id'>): Promise<void> {
    const now = new Date(this.#options.clock.now());
    await this.#options.records.calls.updateOne(
      { _id, tenant_id, status: { $in: TERMINAL_STATUSES }, erasing_at: null },
      { $set: { erasing_at: now, erase_due_at: now, updated_at: now } },
    );
  }

  find(call: TenantKey): Promise<CallDocument | null> {
    return this.#options.records.calls.findOne(keyOf(call)).lean<CallDocument>().exec();
  }

  /**
   * Lists calls with something left to erase, the longest due first; but those of which something is there still, such
   * as one that was asked for, before those that are erased once more.
   */
  async due(limit: number): Promise<TenantKey[]> {
    const { calls } = this.#options.records;
    const isDue = { erase_due_at: { $gte: new Date(0), $lte: new Date(this.#options.clock.now()) } };
    if (!(await gatheredCalls(calls).due.has(isDue))) return [];
    const longestDue = (erased_at: null | { $ne: null }, most: number) =>
      calls
        .find({ ...isDue, erased_at }, { tenant_id: 1 })
        .sort({ erase_due_at: 1 })
        .limit(most)
        .lean<TenantKey[]>()
        .exec();
    const first = await longestDue(null, limit);
    if (first.length === limit) return first;
    return [...first, ...(await longestDue({ $ne: null }, limit - first.length))];
  }

  /** Returns whether its end is still being charged, analysed or published: that comes to its end first. */
  isUnfinished(call: CallDocument): boolean {
    return Boolean(call.post_call_due_at || call.publish_due_at || call.spool_due_at || call[PENDING_STATUS]);
  }

  async lookAgain({ _id, tenant_id }: CallDocument): Promise<void> {
    await this.#options.records.calls.updateOne(
      { _id, tenant_id, erase_due_at: { $gte: new Date(0) } },
      { $set: { erase_due_at: new Date(this.#options.clock.now() + LOOK_AGAIN_MS) } },
    );
  }

  /** Returns the ids of the events that were published of the call. */
  async eventIdsOf(call: CallDocument): Promise<string[]> {
    const transfers = await this.#options.transfers
      .find({ call_id: call._id }, { _id: 1 })
      .lean<{ _id: string }[]>();
    return [...webhookEventIdsOf(call), ...transfers.map(({ _id }) => transferEventId(_id))];
  }

  /** Returns the ids of the events that carry what its tools were given and gave. */
  eventIdsWithTools(call: CallDocument): string[] {
    return eventIdsWithTools(call);
  }

  /** Lists calls of a scope after a place, oldest first, that were created before a time. */
  createdBetween(
    scope: TenantScope,
    after: Pick<CallDocument, '_id' | 'created_at'>,
    before: Date,
    limit: number,
  ): Promise<CallDocument[]> {
    const { created_at: from } = after;
    return this.#options.records.calls
      .find({
        ...ownedBy(scope),
        created_at: { $gte: from, $lt: before },
        $or: [{ created_at: { $gt: from } }, { created_at: from, _id: { $gt: after._id } }],
      })
      .sort({ created_at: 1, _id: 1 })
      .limit(limit)
      .lean<CallDocument[]>()
      .exec();
  }

  /** Erases everything but the call itself: audio, what was said, what was made of it. */
  async eraseContent(call: CallDocument): Promise<void> {
    // What is in the store first: the object storage may be away for hours.
    await Promise.all([
      this.#eraseRecords(call),
      // Outcome and score stay: they are counted.
      this.#options.records.analyses.updateOne(
        { _id: call._id, tenant_id: call.tenant_id },
        {
          $set: {
            summary: null,
            sentiment: null,
            scorecard: null,
            extracted_data: null,
            error_message: null,
          },
        },
      ),
    ]);
    const { uploads, archive } = this.#options;
    await uploads.eraseRecording(call);
    await archive.remove(call);
    await uploads.eraseDecisionLog(call);
  }

  /** Erases the recording alone; of a call without one, what may yet come of it is not kept. */
  async eraseRecording(call: CallDocument): Promise<void> {
    const { records, uploads, clock } = this.#options;
    const now = clock.now();
    const erased = { recording: null, recording_erased_at: new Date(now) };
    if (!call.recording) {
      if (call.recording_erased_at) return;
      const own = { _id: call._id, tenant_id: call.tenant_id };
      const marked = await records.calls.updateOne({ ...own, recording: null }, { $set: erased });
      if (marked.matchedCount > 0) return;
      // It has come meanwhile.
      const changed = await this.find(own);
      if (changed?.recording) await this.eraseRecording(changed);
      return;
    }
    await uploads.eraseRecording(call);
    await recordOnce(
      records.calls,
      tenantOf(call),
      call._id,
      { name: 'recording_erased', type: 'recording.erased', at: now, data: {} },
      erased,
    );
  }

  /** Erases what was said, with what tools were given and gave; what was made of it stays. */
  async eraseTranscript(call: CallDocument): Promise<void> {
    if (call.transcript_erased_at) return;
    const now = new Date(this.#options.clock.now());
    await this.#eraseArchivedSaid(call);
    await this.#options.uploads.eraseDecisionLog(call);
    await this.#eraseRecords(call);
    const entry = {
      id: derivedId(call._id, 'transcript_erased'),
      type: 'transcript.erased',
      at: now,
      data: '{}',
    };
    const { archived_at = null } = call;
    const erased = await this.#options.records.calls.updateOne(
      // Where it is being archived meanwhile, the archive has what was said.
      {
        _id: call._id,
        tenant_id: call.tenant_id,
        ...(archived_at ? { archived_at } : { archive_key: null }),
      },
      {
        $set: {
          decision_log_key: null,
          transcript_erased_at: now,
          timeline: [...erasedTimeline(call.timeline), entry],
        },
      },
    );
    if (erased.matchedCount > 0) return;
    const changed = await this.find(call);
    if (changed && !changed.erasing_at) await this.eraseTranscript(changed);
  }

  /** Erases what was said from the archive, and an archive that is not whole as one that never will be. */
  async #eraseArchivedSaid(call: CallDocument): Promise<void> {
    const { archive } = this.#options;
    const place = placeOf(call);
    if (call.archived_at && place) await archive.eraseSaid(place);
    else await archive.abandon(call);
  }

  /** Erases what was said, as the store has it. */
  async #eraseRecords(call: CallDocument): Promise<void> {
    const { records, transfers, audit } = this.#options;
    const ofCall = { call_id: call._id, tenant_id: call.tenant_id };
    await Promise.all([
      records.events.deleteMany(ofCall),
      records.transcripts.deleteOne({ _id: call._id, tenant_id: call.tenant_id }),
      transfers.updateMany(ofCall, { $set: { destination: NO_NUMBER, briefing: '' } }),
      audit.erase(tenantOf(call), call._id),
    ]);
  }

  /** Erases the call's own fields, the last step: after it all is gone. Returns when that was. */
  async finish(call: CallDocument): Promise<Date> {
    const now = this.#options.clock.now();
    const erasedAt = call.erased_at ?? new Date(now);
    const entry = {
      id: derivedId(call._id, 'erased'),
      type: 'call.erased',
      at: erasedAt,
      data: '{}',
    };
    const timeline = erasedTimeline(call.timeline).filter(({ id }) => id !== entry.id);
    await this.#options.records.calls.updateOne(
      { _id: call._id, tenant_id: call.tenant_id },
      {
        $set: {
          ...erasedFields(call),
          timeline: [...timeline, entry],
          erased_at: erasedAt,
          erase_due_at: call.erased_at ? null : new Date(now + SECOND_PASS_MS),
          updated_at: new Date(now),
        },
      },
    );
    return erasedAt;
  }
}
