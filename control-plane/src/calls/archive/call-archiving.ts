import type { Clock } from '@voice/shared/clock/clock';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { isDuplicateKey } from '../../platform/store/duplicate-keys.js';
import type { CallEventDocument } from '../record/call-event-model.js';
import { handoffsText } from '../record/call-handoffs.js';
import { isTerminal } from '../record/call-state.js';
import { archivedEvents, bodiesOf, FOLDED, seqOf } from '../record/folded-events.js';
import { openAgent } from '../record/frozen-agent.js';
import type { CallDocument } from '../record/model.js';
import { PENDING_STATUS } from '../record/pending-status.js';
import type { CallRecords } from '../record/records.js';
import type { ArchivedContent } from './archive-file.js';
import { type ArchivePlace, type CallArchive, placeOf } from './call-archive.js';

export interface CallArchivingOptions {
  readonly records: Pick<CallRecords, 'calls' | 'events' | 'transcripts'>;
  readonly archive: CallArchive;
  readonly secrets: SecretBox;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Moves what is large of a call that is over to the object storage: its agents, variables and analysis settings, its
 * events and the turns of its transcript. The documents stay, so that lists, filters, sums and the ledger know no
 * difference. Where the object lies and what opens it is written first, then the object, which is read back; then one
 * write takes the call's fields out, and only after it anything else goes. Each step may be made again.
 */
export class CallArchiving {
  readonly #options: CallArchivingOptions;

  constructor(options: CallArchivingOptions) {
    this.#options = options;
  }

  /**
   * Archives a call, or goes on with it. Returns whether there is nothing more to do: false where the call is not over
   * in all respects, or was changed meanwhile. Throws 503 `storage_unavailable`; nothing is lost then.
   */
  async archive(call: CallDocument): Promise<boolean> {
    const { archive } = this.#options;
    if (call.erasing_at) return true;
    const known = placeOf(call);
    if (call.archived_at && known) {
      await this.#clear(known, () => archive.read(known));
      return true;
    }
    if (!isReady(call)) return false;
    // Of a try that was cut short, or goes on somewhere: what still comes of it comes to nothing.
    await archive.abandon(call);
    const place = await this.#reserve(call);
    if (!place) return false;
    const content = await this.#contentOf(call);
    await archive.write(place, content);
    if (!(await this.#commit(call, place, content))) {
      // No other try has this place.
      await archive.remove(place);
      return false;
    }
    archive.metrics.archived();
    await this.#clear(place, async () => content);
    return true;
  }

  /** Notes where the archive will be: whatever comes after it, no object is anywhere that its call does not name. */
  async #reserve(call: CallDocument): Promise<ArchivePlace | null> {
    const { archive, records } = this.#options;
    const place = archive.newPlace(call);
    const { _id, tenant_id, archive_key, archive_secret } = place;
    const reserved = await records.calls.updateOne(
      { _id, tenant_id, archive_key: null, erasing_at: null },
      { $set: { archive_key, archive_secret } },
    );
    return reserved.matchedCount === 1 ? place : null;
  }

  async #contentOf(call: CallDocument): Promise<ArchivedContent> {
    const { records, secrets } = this.#options;
    const { _id, tenant_id } = call;
    const [rows, transcript] = await Promise.all([
      records.events.find({ call_id: _id, tenant_id }).sort({ seq: 1 }).lean<CallEventDocument[]>(),
      records.transcripts.findOne({ _id, tenant_id }).lean(),
    ]);
    return {
      call: {
        agent_snapshot: opened(() => openAgent(secrets, call)),
        handoffs: opened(() => handoffsText(secrets, call)),
        analysis_settings: call.analysis_settings ?? null,
        variables: call.variables,
      },
      turns: transcript?.turns || null,
      events: await bodiesOf(rows),
    };
  }

  /** Takes out of the call what the archive has. Returns false where that is no more what is to be archived. */
  async #commit(call: CallDocument, place: ArchivePlace, { call: kept }: ArchivedContent): Promise<boolean> {
    const { _id, tenant_id, archive_secret } = place;
    const { transcript_erased_at = null } = call;
    const committed = await this.#options.records.calls.updateOne(
      { _id, tenant_id, archive_secret, archived_at: null, erasing_at: null, transcript_erased_at },
      {
        $set: {
          archived_at: new Date(this.#options.clock.now()),
          ...(kept.agent_snapshot === null ? {} : { agent_snapshot: '' }),
          ...(kept.handoffs === null ? {} : { handoffs: null }),
          analysis_settings: null,
          variables: '{}',
        },
      },
    );
    return committed.matchedCount === 1;
  }

  /** Removes from the other documents what the archive has, and nothing that it has not. */
  async #clear(place: ArchivePlace, content: () => Promise<ArchivedContent>): Promise<void> {
    const { events, transcripts } = this.#options.records;
    const { _id, tenant_id } = place;
    const [rows, transcript] = await Promise.all([
      events.find({ call_id: _id, tenant_id }).sort({ seq: 1 }).lean<CallEventDocument[]>(),
      transcripts.findOne({ _id, tenant_id }).lean(),
    ]);
    const folded = rows.find(({ kind }) => kind === FOLDED);
    const single = rows.filter(({ kind }) => kind !== FOLDED);
    const isWhole = single.length === 0 && (!folded || folded.archived) && !transcript?.turns;
    if (isWhole) return;
    const { turns, events: bodies } = await content();
    const archived = new Set(bodies.map(seqOf));
    if (await this.#standIn(rows, folded, archived)) {
      const ids = single.filter(({ seq }) => archived.has(seq)).map((event) => event._id);
      if (ids.length > 0) await events.deleteMany({ _id: { $in: ids }, tenant_id });
    }
    if (turns !== null) {
      await transcripts.updateOne({ _id, tenant_id, turns }, { $set: { turns: '' } });
    }
  }

  /** Puts a document in place of the events that are archived. Returns whether it is there. */
  async #standIn(
    rows: readonly CallEventDocument[],
    folded: CallEventDocument | undefined,
    archived: ReadonlySet<number>,
  ): Promise<boolean> {
    const { events } = this.#options.records;
    if (folded?.archived) return true;
    if (folded) {
      const seqs = (await bodiesOf([folded])).map(seqOf);
      if (!seqs.every((seq) => archived.has(seq))) return false;
      const { _id, tenant_id, received_at } = folded;
      const replaced = await events.updateOne(
        { _id, tenant_id, received_at, archived: null },
        { $set: { archived: true }, $unset: { folded: 1 } },
      );
      return replaced.matchedCount === 1;
    }
    const last = rows.findLast(({ seq }) => archived.has(seq));
    if (!last) return false;
    try {
      await events.collection.insertOne(archivedEvents(last, this.#options.clock.now()) as never);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}

/** Returns whether nothing more of a call is to come: it is over, charged, published, and its events are folded. Pure. */
function isReady(call: CallDocument): boolean {
  return (
    isTerminal(call.status) &&
    !call.transfer_in_progress &&
    !(call.post_call_due_at || call.publish_due_at || call.spool_due_at || call.fold_due_at) &&
    !call[PENDING_STATUS]
  );
}

/** Returns what is sealed, as JSON; null where there is nothing, and where no key of ours opens it: it stays as it is. */
function opened(open: () => string | null): string | null {
  try {
    return open();
  } catch {
    return null;
  }
}
