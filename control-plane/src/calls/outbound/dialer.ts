import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import { derivedId, type TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { NO_TRACING, type Tracer, traced } from '@voice/shared/tracing/tracer';
import type { AdmittedCheck } from '../../compliance/admitted-check.js';
import { type Carrier, CarrierFailure, type DialRequest } from '../../telephony/carriers/port.js';
import type { Place, Placement } from '../../workers/placement.js';
import type { CallEnding, End } from '../ending/call-ending.js';
import { RING_TIMEOUT_SECONDS } from '../plan/call-plan.js';
import type { CallMetrics } from '../record/call-metrics.js';
import type { CallDocument } from '../record/model.js';
import type { DispatchLease } from './dispatch-lease.js';

/** How long a call that was not dialed waits at least before it is tried again, in ms. */
export const RETRY_MS = 1000;
const CARRIER_TIMEOUT_MS = 10_000;

export interface DialerOptions {
  readonly placement: Placement;
  readonly ending: CallEnding;
  readonly publicUrl: () => string;
  readonly metrics: CallMetrics;
  readonly tracer?: Tracer;
  readonly clock: Clock;
  readonly log: Log;
}

/** What came of an attempt to bring a call onto the line; a failure of the carrier where it is to be tried again. */
export type Attempt = 'done' | 'no_room' | CarrierFailure;

/** An admitted call with its place at a worker. */
interface DialStep {
  readonly call: CallDocument;
  readonly voicemail: AgentSnapshot['voicemail'];
  readonly tenant: TenantId;
  readonly lease: DispatchLease;
  readonly carrier: Carrier;
  readonly admitted: AdmittedCheck;
  readonly place: Place;
}

function machineDetection({ detect, action }: AgentSnapshot['voicemail']): DialRequest['machineDetection'] {
  if (!detect) return 'off';
  return action === 'leave_message' ? 'wait_for_beep' : 'detect';
}

/** The last step of a dispatch: asks the carrier, and makes of its answer what becomes of call, place and lease. */
export class Dialer {
  readonly #options: DialerOptions;

  constructor(options: DialerOptions) {
    this.#options = options;
  }

  /** Asks the carrier to dial; returns its failure where it certainly has not and there is time left. */
  async attempt(step: DialStep): Promise<Attempt> {
    const { call, tenant, lease, carrier, admitted, place } = step;
    const { placement, publicUrl, log, clock, ending, metrics, tracer = NO_TRACING } = this.#options;
    try {
      const dial = () =>
        carrier.dial(
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
      const attributes = { 'call.carrier': carrier.name, 'call.worker.id': place.worker._id };
      const { carrierCallId } = await traced(
        { tracer, clock },
        { callId: call._id, name: 'dial', kind: 'client', attributes },
        dial,
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

  async #dialFailed({ call, tenant, lease, place }: DialStep, failure: CarrierFailure): Promise<Attempt> {
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
          return failure;
        }
        await this.giveUp(tenant, call, 'carrier_failed', failure.code, failure.message);
        return 'done';
      case 'rejected':
      case 'failed':
        await this.giveUp(
          tenant,
          call,
          failure.kind === 'rejected' ? 'rejected' : 'carrier_failed',
          failure.code,
          failure.message,
        );
        return 'done';
    }
  }

  /** Ends a call that does not come onto the line. */
  async giveUp(
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
