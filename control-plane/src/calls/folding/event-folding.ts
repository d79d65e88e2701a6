import type { Clock } from '@voice/shared/clock/clock';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { sideBySide } from '../../platform/jobs/side-by-side.js';
import type { CallEventDocument, CallEventModel } from '../record/call-event-model.js';
import { FOLDED, foldedEvents } from '../record/folded-events.js';
import { gatheredCalls } from '../record/gathered-calls.js';
import type { CallDocument, CallModel } from '../record/model.js';

/** How long a call has to itself who folds its events, in ms. */
const CLAIM_MS = 60_000;
/** Calls in one read, and how many of them are folded at once. */
const BATCH = 500;
const AT_ONCE = 20;
/** When a sweep begins no further call, in ms: one of a minute would be taken for hung. */
const LONGEST_SWEEP_MS = 30_000;

type Foldable = Pick<
  CallDocument,
  '_id' | 'tenant_id' | 'post_call_due_at' | 'publish_due_at' | 'fold_due_at'
>;

export interface EventFoldingOptions {
  readonly calls: CallModel;
  readonly events: CallEventModel;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

/**
 * Puts the events of a call into one compressed document once nothing more of it is to come. It is written before the
 * single ones go, and readers count each number once: cut short, nothing is missing or there twice.
 */
export class EventFolding {
  readonly #options: EventFoldingOptions;

  constructor(options: EventFoldingOptions) {
    this.#options = options;
  }

  /**
   * Folds the events of the calls that are due, the longest due first, for as long as a sweep may take. A call whose
   * events cannot be folded holds up no other, and is tried again when its claim is over.
   */
  async sweep(): Promise<void> {
    const { clock } = this.#options;
    const until = clock.monotonic() + LONGEST_SWEEP_MS;
    const failures: unknown[] = [];
    for (let isFull = true; isFull && clock.monotonic() < until; ) {
      const due = await this.#due();
      await sideBySide(due, AT_ONCE, async (call) => {
        if (clock.monotonic() >= until) return;
        await this.#fold(call).catch((error: unknown) => failures.push(error));
      });
      isFull = due.length === BATCH;
    }
    if (failures.length > 0) throw failures[0];
  }

  async #due(): Promise<Foldable[]> {
    const { calls, clock } = this.#options;
    const isDue = { fold_due_at: { $gte: new Date(0), $lte: new Date(clock.now()) } };
    if (!(await gatheredCalls(calls).due.has(isDue))) return [];
    return calls
      .find(isDue, { tenant_id: 1, post_call_due_at: 1, publish_due_at: 1, fold_due_at: 1 })
      .sort({ fold_due_at: 1 })
      .limit(BATCH)
      .lean<Foldable[]>()
      .exec();
  }

  async #fold(call: Foldable): Promise<void> {
    const { calls, events, clock } = this.#options;
    const { _id, tenant_id } = call;
    const until = new Date(clock.now() + CLAIM_MS);
    const claimed = await calls.updateOne(
      { _id, tenant_id, fold_due_at: call.fold_due_at },
      { $set: { fold_due_at: until } },
    );
    // One whose steps go on again has the claim as its pause.
    if (claimed.matchedCount === 0 || call.post_call_due_at || call.publish_due_at) return;
    const stored = await events
      .find({ call_id: _id, tenant_id })
      .sort({ seq: 1 })
      .lean<CallEventDocument[]>();
    const before = stored.find(({ kind }) => kind === FOLDED);
    const single = stored.filter(({ kind }) => kind !== FOLDED);
    // What comes after the others were archived stays beside them.
    if (!before?.archived && single.length > (before ? 0 : 1)) {
      if (!(await this.#write(await foldedEvents(stored, clock.now()), before))) return;
      await events.deleteMany({ _id: { $in: single.map((event) => event._id) }, tenant_id });
    }
    await calls.updateOne(
      { _id, tenant_id, fold_due_at: until },
      { $set: { fold_due_at: null, folded_at: new Date(clock.now()) } },
    );
  }

  /** Returns false where somebody else has folded since these events were read: their document may have more. */
  async #write(document: CallEventDocument, before: CallEventDocument | undefined): Promise<boolean> {
    const { events } = this.#options;
    if (before) {
      const { _id, tenant_id, received_at, seq } = before;
      const replaced = await events.replaceOne({ _id, tenant_id, received_at, seq }, document);
      return replaced.matchedCount === 1;
    }
    try {
      await events.collection.insertOne(document as never);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}
