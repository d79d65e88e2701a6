import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import type { ConditionalUpdates } from '../../platform/store/conditional-updates.js';
import { isTerminal, LIVE_STATUSES } from '../record/call-state.js';
import type { CallDocument, CallModel, TimelineEntry } from '../record/model.js';

/** How long a lease lasts without renewal, in ms: so long a dead dispatcher's call waits. */
export const LEASE_MS = 9000;
const RENEW_MS = 3000;

export interface LeaseOf {
  readonly tenant: TenantId;
  readonly callId: string;
  /** Of one run, not of one process. */
  readonly owner: string;
}

/** A call under a lease. */
export type LeasedCall = CallDocument & { dispatch_lease_owner: string };

export interface LeaseStore {
  readonly calls: CallModel;
  readonly updates: ConditionalUpdates<CallDocument>;
  readonly clock: Clock;
}

/** The right to dispatch one queued call, kept alive until it is released. Each step is one conditional update. */
export class DispatchLease {
  readonly #calls: CallModel;
  readonly #updates: ConditionalUpdates<CallDocument>;
  readonly #clock: Clock;
  readonly #of: LeaseOf;
  #timer: Timer | undefined;
  #released = false;

  private constructor({ calls, updates, clock }: LeaseStore, of: LeaseOf) {
    this.#calls = calls;
    this.#updates = updates;
    this.#clock = clock;
    this.#of = of;
    this.#keepAlive();
  }

  /** Returns the lease with which the call was stored just now. */
  static held(store: LeaseStore, of: LeaseOf): DispatchLease {
    return new DispatchLease(store, of);
  }

  /** Null when the call is not to be dispatched (any more) or another holds its lease. */
  static async take(store: LeaseStore, of: LeaseOf): Promise<DispatchLease | null> {
    const now = store.clock.now();
    const taken = await store.calls.updateOne(
      {
        _id: of.callId,
        tenant_id: of.tenant,
        status: 'QUEUED',
        dispatch_stage: 'waiting',
        dispatch_lease_until: { $lte: new Date(now) },
      },
      { $set: { dispatch_lease_owner: of.owner, dispatch_lease_until: new Date(now + LEASE_MS) } },
    );
    return taken.matchedCount === 1 ? new DispatchLease(store, of) : null;
  }

  /** Renews the lease and returns the call as it is now; null when it is over or no longer ours. */
  renew(): Promise<CallDocument | null> {
    return this.#calls
      .findOneAndUpdate(
        { ...this.#held(), status: 'QUEUED' },
        { $set: { dispatch_lease_until: new Date(this.#clock.now() + LEASE_MS) } },
        { returnDocument: 'after' },
      )
      .lean<CallDocument>()
      .exec();
  }

  /** Notes in the call's timeline, once, that it waits. */
  async waits(entry: TimelineEntry): Promise<void> {
    await this.#calls.updateOne(
      { ...this.#held(), status: 'QUEUED', 'timeline.id': { $ne: entry.id } },
      { $push: { timeline: entry } },
    );
  }

  /** Before the carrier is asked: from here on nobody else may dial. False when the call is not ours any more. */
  beginDialing(workerId: string, ringDeadlineAt: number): Promise<boolean> {
    const now = new Date(this.#clock.now());
    return this.#updates.make({
      filter: { ...this.#held(), status: 'QUEUED', dispatch_stage: 'waiting' },
      update: {
        $set: {
          dispatch_stage: 'dialing',
          worker_id: workerId,
          placed_at: now,
          ring_deadline_at: new Date(ringDeadlineAt),
        },
      },
      applied: { ...this.#held(), dispatch_stage: 'dialing' },
    });
  }

  /**
   * Notes that the carrier took the call, and nothing is left to dispatch. Says whether the call was ended meanwhile.
   */
  async dialed(carrierCallId: string, entry: TimelineEntry): Promise<'live' | 'ended'> {
    const dialed = { dispatch_stage: 'dialed', carrier_call_id: carrierCallId } as const;
    const { callId: _id, tenant: tenant_id } = this.#of;
    const live = await this.#updates.make({
      filter: { ...this.#held(), status: { $in: [...LIVE_STATUSES] } },
      update: { $set: { ...dialed, ...this.#nobodys() }, $push: { timeline: entry } },
      applied: { _id, tenant_id, ...dialed },
    });
    if (live) {
      this.#end();
      return 'live';
    }
    // Ended or taken over meanwhile: what the carrier calls it is kept all the same, to hang it up by.
    const after = await this.#calls
      .findOneAndUpdate(
        { _id, tenant_id },
        { $set: dialed, $push: { timeline: entry } },
        { returnDocument: 'after' },
      )
      .lean<CallDocument>();
    return !after || isTerminal(after.status) ? 'ended' : 'live';
  }

  /** Certainly nothing rings: the call may be dispatched again. */
  async notDialed(): Promise<boolean> {
    const written = await this.#calls.updateOne(
      { ...this.#held(), status: 'QUEUED', dispatch_stage: 'dialing', carrier_call_id: null },
      { $set: { dispatch_stage: 'waiting', worker_id: null, placed_at: null, ring_deadline_at: null } },
    );
    return written.matchedCount === 1;
  }

  /** Lets another dispatcher have the call, if there is anything left to dispatch. */
  async release(): Promise<void> {
    if (this.#released) return;
    this.#end();
    await this.#calls.updateOne(this.#held(), { $set: this.#nobodys() });
  }

  #end(): void {
    this.#released = true;
    this.#timer?.cancel();
  }

  #nobodys() {
    return { dispatch_lease_owner: null, dispatch_lease_until: new Date(this.#clock.now()) };
  }

  #held() {
    return { _id: this.#of.callId, tenant_id: this.#of.tenant, dispatch_lease_owner: this.#of.owner };
  }

  #keepAlive(): void {
    this.#timer = this.#clock.schedule(RENEW_MS, () => {
      // A renewal that fails is not retried at once: the next one comes, or the lease lapses as it should.
      this.renew()
        .catch(() => {})
        .finally(() => {
          if (!this.#released) this.#keepAlive();
        });
    });
  }
}
