import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { NO_TRACING, type Tracer } from '@voice/shared/tracing/tracer';
import type { BackgroundWork } from '../../platform/jobs/background.js';
import type { TenantKey } from '../../platform/store/tenant-scope.js';
import type { Carriers } from '../../telephony/carriers/carriers.js';
import type { WorkerCommands } from '../../workers/commands.js';
import type { Placement } from '../../workers/placement.js';
import { applyChange, type ChangeResult, correctLoss, type StatusChange } from '../record/call-changes.js';
import type { CallEventPublisher } from '../record/call-event-publisher.js';
import type { CallMetrics } from '../record/call-metrics.js';
import { callSpan } from '../record/call-span.js';
import { gatheredCalls } from '../record/gathered-calls.js';
import type { CallDocument, CallModel } from '../record/model.js';

const CARRIER_TIMEOUT_MS = 10_000;

export type End = Extract<StatusChange, { to: 'ended' }>;
/** Who knows already that the call is over, and so needs no notice. */
export type EndSource = 'worker' | 'carrier' | 'control_plane';

interface CallEndingOptions {
  readonly calls: CallModel;
  readonly carriers: Carriers;
  readonly commands: WorkerCommands;
  readonly placement: Placement;
  readonly background: BackgroundWork;
  readonly eventPublisher: CallEventPublisher;
  /** What happens to the call from here on. */
  readonly onEnded?: (call: TenantKey) => void;
  /** What it took to prepare a call that was not answered is known. */
  readonly onGivenBack?: (call: TenantKey) => void;
  readonly tracer?: Tracer;
  readonly clock: Clock;
  readonly metrics: CallMetrics;
  readonly log: Log;
}

/** Ends calls: the status first, then all who still hold a part of the call release it. */
export class CallEnding {
  readonly #options: CallEndingOptions;
  readonly #onEnded: (call: TenantKey) => void;
  readonly #onGivenBack: (call: TenantKey) => void;
  readonly #tracer: Tracer;

  constructor(options: CallEndingOptions) {
    this.#options = options;
    this.#onEnded = options.onEnded ?? (() => {});
    this.#onGivenBack = options.onGivenBack ?? (() => {});
    this.#tracer = options.tracer ?? NO_TRACING;
  }

  /**
   * Null when the call is unknown. Letting go happens after the return; every part of it is idempotent.
   * @param seen the call as it was read last
   */
  async end(
    tenant: TenantId,
    callId: string,
    end: End,
    source: EndSource,
    seen?: CallDocument,
  ): Promise<ChangeResult | null> {
    const result = await applyChange(
      this.#options.calls,
      tenant,
      callId,
      end,
      this.#options.clock.now(),
      seen,
    );
    if (!result?.applied) return result;
    this.#options.metrics.ended(result.status, end.endReason);
    this.#options.log.info(
      { call_id: callId, tenant, status: result.status, end_reason: end.endReason, cause: end.cause },
      'call ended',
    );
    const call = { _id: callId, tenant_id: tenant };
    this.#options.eventPublisher.soon(call);
    this.#onEnded(call);
    this.#options.background.run('let go of an ended call', () => this.#letGo(tenant, callId, end, source));
    return result;
  }

  /**
   * Corrects a loss. A lost worker had spooled how the call ended before the loss: that is the truth of it. Nothing
   * happens for a call that was not lost, or whose record is closed.
   */
  async correctLoss(tenant: TenantId, callId: string, end: End): Promise<void> {
    const status = await correctLoss(this.#options.calls, tenant, callId, end, this.#options.clock.now());
    if (status === null) return;
    this.#options.log.info(
      { call_id: callId, tenant, status, end_reason: end.endReason },
      'a lost call is corrected by the spool of its worker',
    );
    const call = { _id: callId, tenant_id: tenant };
    this.#options.eventPublisher.soon(call);
    this.#onEnded(call);
  }

  async #letGo(tenant: TenantId, callId: string, end: End, source: EndSource): Promise<void> {
    const call = await gatheredCalls(this.#options.calls).reads.get(tenant, callId);
    if (!call) return;
    if (this.#tracer.isOn) this.#tracer.record(callSpan(call, end));
    if (source !== 'worker' && call.worker_id !== null && end.endReason !== 'worker_lost') {
      if (call.media_started_at) {
        await this.#options.commands.send(call, `ended:${end.endReason}`, {
          kind: 'carrier_ended',
          reason: end.endReason,
        });
      } else {
        const usage = await this.#options.placement.giveBack(call.worker_id, callId);
        await gatheredCalls(this.#options.calls).notes.make(
          { _id: callId, tenant_id: tenant },
          { $set: { prepared_usage: JSON.stringify(usage) } },
        );
        this.#onGivenBack(call);
      }
    }
    // A transferred call goes on without us; one that the carrier ended is over.
    if (source !== 'carrier' && end.endReason !== 'transferred' && !call.carrier_ended_at) {
      await this.hangUpAtCarrier(call);
    }
  }

  /** Makes sure that nothing rings or talks at the carrier for this call. */
  async hangUpAtCarrier(call: Pick<CallDocument, '_id' | 'carrier' | 'carrier_call_id'>): Promise<void> {
    const carrier = this.#options.carriers.find(call.carrier);
    if (!carrier || call.carrier_call_id === null) return;
    try {
      await carrier.hangUp(call.carrier_call_id, AbortSignal.timeout(CARRIER_TIMEOUT_MS));
    } catch (error) {
      // The media stream is closed as well, which ends the call at the carrier.
      this.#options.log.warn({ call_id: call._id, error: String(error) }, 'the carrier did not hang up');
    }
  }
}
