import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import { ServiceError } from '@voice/shared/errors/service-error';
import { derivedId, newId, type TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { AdmittedCheck } from '../../compliance/admitted-check.js';
import type { ComplianceGate } from '../../compliance/gate.js';
import type { Config } from '../../config.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { ConditionalUpdates } from '../../platform/store/conditional-updates.js';
import { scopeOf } from '../../platform/store/tenant-scope.js';
import type { Carriers } from '../../telephony/carriers/carriers.js';
import { type Carrier, CarrierFailure, type DialRequest } from '../../telephony/carriers/port.js';
import type { Place, Placement } from '../../workers/placement.js';
import type { CallEnding, End } from '../ending/call-ending.js';
import { CARRIER_SLACK_MS, planOf, RING_TIMEOUT_SECONDS } from '../plan/call-plan.js';
import type { CallMetrics } from '../record/call-metrics.js';
import { thawAgent } from '../record/frozen-agent.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { DispatchLease, type LeasedCall, type LeaseStore } from './dispatch-lease.js';

/** How long a call without a place waits before it looks again: at first, and at most, in ms. */
const RETRY_MS = 1000;
const RETRY_MAX_MS = 3000;
const CARRIER_TIMEOUT_MS = 10_000;

export interface DispatcherOptions {
  readonly calls: CallModel;
  readonly gate: ComplianceGate;
  readonly carriers: Carriers;
  readonly placement: Placement;
  readonly ending: CallEnding;
  readonly secrets: SecretBox;
  readonly vendors: Config['vendors'];
  readonly publicUrl: () => string;
  readonly metrics: CallMetrics;
  readonly clock: Clock;
  readonly log: Log;
}

type Attempt = 'done' | 'again';

/** A call that was stored just now under a lease of its own, with what its maker knows of it. */
export interface CreatedCall {
  readonly call: LeasedCall;
  /** As the call's snapshot holds it. */
  readonly agent: AgentSnapshot;
  readonly admitted: AdmittedCheck;
}

function machineDetection({ detect, action }: AgentSnapshot['voicemail']): DialRequest['machineDetection'] {
  if (!detect) return 'off';
  return action === 'leave_message' ? 'wait_for_beep' : 'detect';
}

/**
 * Brings a queued call onto the line: a place at a worker, then the carrier. One dispatcher at a time
 * holds a call's lease; when it dies, another takes the lease over and goes on, but nobody dials a
 * number that may have been dialed already.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #leases: LeaseStore;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { calls, clock } = options;
    this.#leases = { calls, clock, updates: new ConditionalUpdates(calls) };
  }

  /** Begins to dispatch a call that was stored just now, and returns at once. */
  begin(tenant: TenantId, created: CreatedCall): void {
    const { _id: callId, dispatch_lease_owner: owner } = created.call;
    const lease = DispatchLease.held(this.#leases, { tenant, callId, owner });
    this.#keepRunning(callId, this.#run(tenant, lease, created));
  }

  /** Goes on with a queued call and returns at once. Harmless when somebody else is at it. */
  resume(tenant: TenantId, callId: string): void {
    this.#keepRunning(callId, this.#takeOver(tenant, callId));
  }

  /** Ends the waiting for places; what is being dialed is finished. Queued calls stay queued. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the dispatcher stops'));
    await Promise.all(this.#running);
  }

  #keepRunning(callId: string, dispatching: Promise<void>): void {
    const running = dispatching
      .catch((err: unknown) => this.#options.log.error({ call_id: callId, err }, 'dispatch broke off'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when the call is dialed, over, or somebody else's. */
  async #takeOver(tenant: TenantId, callId: string): Promise<void> {
    const lease = await DispatchLease.take(this.#leases, { tenant, callId, owner: newId() });
    if (lease) await this.#run(tenant, lease);
  }

  async #run(tenant: TenantId, lease: DispatchLease, created?: CreatedCall): Promise<void> {
    const { clock } = this.#options;
    try {
      let known = created;
      for (
        let waitMs = RETRY_MS;
        !this.#stopping.signal.aborted;
        waitMs = Math.min(RETRY_MAX_MS, waitMs * 1.5)
      ) {
        // What was stored just now is not read again.
        const call = known?.call ?? (await lease.renew());
        if (!call) return;
        if ((await this.#attempt(call, tenant, lease, known)) === 'done') return;
        known = undefined;
        await clock.sleep(waitMs, this.#stopping.signal).catch(() => {});
      }
    } finally {
      await lease.release();
    }
  }

  async #attempt(
    call: CallDocument,
    tenant: TenantId,
    lease: DispatchLease,
    created: CreatedCall | undefined,
  ): Promise<Attempt> {
    const { carriers, placement, secrets, vendors, clock, gate } = this.#options;
    const late = clock.now() >= call.dispatch_deadline_at.getTime();
    if (late) {
      await this.#end(tenant, call, 'no_capacity', 'no_capacity', 'No media worker had a place in time.');
      return 'done';
    }
    const carrier = carriers.find(call.carrier);
    if (!carrier) {
      await this.#end(
        tenant,
        call,
        'carrier_failed',
        'carrier_not_configured',
        'The carrier is not configured.',
      );
      return 'done';
    }
    if (call.compliance_check_id === null) {
      const message = 'No compliance check was made for the call.';
      await this.#end(tenant, call, 'rejected', 'compliance_check_not_found', message);
      return 'done';
    }
    const admitted =
      created?.admitted ??
      (await this.#gated(call, tenant, () =>
        gate.admitted(scopeOf(call), call.compliance_check_id, call.to_number),
      ));
    if (!admitted) return 'done';
    const agent = created?.agent ?? thawAgent(secrets, call);
    const place = await placement.place(planOf(call, agent, carrier.link, vendors, clock.now()));
    if (place.kind === 'no_room') {
      await this.#waitsForRoom(call, lease);
      return 'again';
    }
    if (place.kind === 'refused') {
      await this.#end(tenant, call, 'provider_failed', place.code, place.message);
      return 'done';
    }
    // And again, as late as can be: a callee who asks not to be called while the call looks for a place is not called.
    const confirmed = await this.#gated(call, tenant, async () => {
      await gate.confirm(scopeOf(call), admitted, call.to_number);
      return admitted;
    });
    if (!confirmed) {
      await placement.giveBack(place.worker._id, call._id);
      return 'done';
    }
    const marked = await lease.beginDialing(
      place.worker._id,
      clock.now() + RING_TIMEOUT_SECONDS * 1000 + CARRIER_SLACK_MS,
    );
    if (!marked) {
      // Hung up meanwhile, or taken over: this place is nobody's.
      await placement.giveBack(place.worker._id, call._id);
      return 'done';
    }
    return this.#dial({
      call,
      voicemail: agent.voicemail,
      tenant,
      lease,
      carrier,
      admitted: confirmed,
      place,
    });
  }

  /** Records why a call stays QUEUED, for those who look at it. */
  async #waitsForRoom(call: CallDocument, lease: DispatchLease): Promise<void> {
    const id = derivedId(call._id, 'waiting');
    if (call.timeline.some((entry) => entry.id === id)) return;
    await lease.waits({
      id,
      type: 'call.waiting',
      at: new Date(this.#options.clock.now()),
      data: JSON.stringify({
        reason: 'no_worker_has_room',
        message: 'No media worker has room now; the call waits for one.',
        until: call.dispatch_deadline_at.toISOString(),
      }),
    });
  }

  /** What the gate says; null, and the call is over, where it refuses. */
  async #gated<Admission>(
    call: CallDocument,
    tenant: TenantId,
    ask: () => Promise<Admission>,
  ): Promise<Admission | null> {
    const { log } = this.#options;
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      log.warn({ call_id: call._id, tenant, error_code: error.code }, 'a queued call is not admitted');
      await this.#end(tenant, call, 'rejected', 'compliance_denied', 'The compliance gate denies the call.');
      return null;
    }
  }

  async #dial(step: {
    call: CallDocument;
    voicemail: AgentSnapshot['voicemail'];
    tenant: TenantId;
    lease: DispatchLease;
    carrier: Carrier;
    admitted: AdmittedCheck;
    place: Place;
  }): Promise<Attempt> {
    const { call, tenant, lease, carrier, admitted, place } = step;
    const { placement, publicUrl, log, clock, ending, metrics } = this.#options;
    try {
      const { carrierCallId } = await carrier.dial(
        {
          callId: call._id,
          from: call.from_number,
          to: call.to_number,
          ringTimeoutSeconds: RING_TIMEOUT_SECONDS,
          streamUrl: place.reservation.stream_url,
          streamToken: place.reservation.stream_token,
          machineDetection: machineDetection(step.voicemail),
          callbackBaseUrl: `${publicUrl()}/internal/carriers/${carrier.name}`,
        },
        admitted,
        AbortSignal.timeout(CARRIER_TIMEOUT_MS),
      );
      log.info({ call_id: call._id, tenant, worker_id: place.worker._id, carrier: carrier.name }, 'dialed');
      metrics.dispatched('dialed', (clock.now() - call.queued_at.getTime()) / 1000);
      const status = await lease.dialed(carrierCallId, {
        id: derivedId(call._id, 'dialed'),
        type: 'call.dialed',
        at: new Date(clock.now()),
        data: JSON.stringify({ carrier: carrier.name, worker_id: place.worker._id }),
      });
      if (status === 'ended') {
        // Ended while the carrier was asked, when there was no carrier call to hang up yet.
        await ending.hangUpAtCarrier({ ...call, carrier_call_id: carrierCallId });
        await placement.giveBack(place.worker._id, call._id);
      }
      return 'done';
    } catch (error) {
      if (!(error instanceof CarrierFailure)) throw error;
      return this.#dialFailed(step, error);
    }
  }

  async #dialFailed(
    {
      call,
      tenant,
      lease,
      place,
    }: { call: CallDocument; tenant: TenantId; lease: DispatchLease; place: Place },
    failure: CarrierFailure,
  ): Promise<Attempt> {
    const { placement, log, clock } = this.#options;
    log.warn(
      { call_id: call._id, tenant, kind: failure.kind, error: failure.code, cause: String(failure.cause) },
      'dialing failed',
    );
    switch (failure.kind) {
      case 'unknown':
        // It may ring. The carrier's callbacks or the media stream will show it, or the safety net ends it.
        return 'done';
      case 'not_dialed':
        await placement.giveBack(place.worker._id, call._id);
        if (clock.now() + RETRY_MS < call.dispatch_deadline_at.getTime() && (await lease.notDialed())) {
          return 'again';
        }
        await this.#end(tenant, call, 'carrier_failed', failure.code, failure.message);
        return 'done';
      case 'rejected':
      case 'failed':
        await this.#end(
          tenant,
          call,
          failure.kind === 'rejected' ? 'rejected' : 'carrier_failed',
          failure.code,
          failure.message,
        );
        return 'done';
    }
  }

  async #end(
    tenant: TenantId,
    call: CallDocument,
    endReason: End['endReason'],
    errorCode: string,
    errorMessage: string,
  ): Promise<void> {
    const { ending, clock, metrics } = this.#options;
    metrics.dispatched('failed', (clock.now() - call.queued_at.getTime()) / 1000);
    const end: End = {
      to: 'ended',
      at: clock.now(),
      cause: 'dispatch',
      endReason,
      errorCode,
      errorMessage,
    };
    await ending.end(tenant, call._id, end, 'control_plane');
  }
}
