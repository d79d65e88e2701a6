import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import { isTerminal } from './call-state.js';
import type { CallDocument, CallModel } from './model.js';

/** How long a lease lasts without renewal, in ms: so long a dead dispatcher's call waits. */
export const LEASE_MS = 9000;
const RENEW_MS = 3000;

interface LeaseOf {
  readonly tenant: TenantId;
  readonly callId: string;
  /** Of one run, not of one process. */
  readonly owner: string;
}

/** The right to dispatch one queued call, kept alive until it is released. Each step is one conditional update. */
export class DispatchLease {
  readonly #calls: CallModel;
  readonly #clock: Clock;
  readonly #of: LeaseOf;
  #timer: Timer | undefined;
  #released = false;

  private constructor(calls: CallModel, clock: Clock, of: LeaseOf) {
    this.#calls = calls;
    this.#clock = clock;
    this.#of = of;
    this.#keepAlive();
  }

  /** Null when the call is not to be dispatched (any more) or another holds its lease. */
  static async take(calls: CallModel, clock: Clock, of: LeaseOf): Promise<DispatchLease | null> {
    const now = clock.now();
    const taken = await calls.updateOne(
      {
        _id: of.callId,
        tenant_id: of.tenant,
        status: 'QUEUED',
        dispatch_stage: 'waiting',
        dispatch_lease_until: { $lte: new Date(now) },
      },
      { $set: { dispatch_lease_owner: of.owner, dispatch_lease_until: new Date(now + LEASE_MS) } },
    );
    return taken.matchedCount === 1 ? new DispatchLease(calls, clock, of) : null;
  }

  /** The call as it is now; null when it is over or no longer ours. */
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

  /** Before the carrier is asked: from here on nobody else may dial. False when the call is not ours any more. */
  async beginDialing(workerId: string, ringDeadlineAt: number): Promise<boolean> {
    const now = new Date(this.#clock.now());
    const written = await this.#calls.updateOne(
      { ...this.#held(), status: 'QUEUED', dispatch_stage: 'waiting' },
      {
        $set: {
          dispatch_stage: 'dialing',
          worker_id: workerId,
          placed_at: now,
          ring_deadline_at: new Date(ringDeadlineAt),
        },
      },
    );
    return written.matchedCount === 1;
  }

  /** The carrier took the call. Says whether the call was ended meanwhile. */
  async dialed(carrierCallId: string): Promise<'live' | 'ended'> {
    const after = await this.#calls
      .findOneAndUpdate(
        { _id: this.#of.callId, tenant_id: this.#of.tenant },
        { $set: { dispatch_stage: 'dialed', carrier_call_id: carrierCallId } },
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
    this.#released = true;
    this.#timer?.cancel();
    await this.#calls.updateOne(this.#held(), {
      $set: { dispatch_lease_owner: null, dispatch_lease_until: new Date(this.#clock.now()) },
    });
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
