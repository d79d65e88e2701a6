import type { Clock } from '@voice/shared/clock/clock';
import type { EndReason } from '@voice/shared/contracts/primitives';
import { isUuid } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { apiError } from '../../platform/http/error-codes.js';
import type { CarrierCallStatus, CarrierName, CarrierReport } from '../../telephony/carriers/port.js';
import type { Attestations } from '../../telephony/phones/attestations.js';
import type { WorkerCommands } from '../../workers/commands.js';
import type { CallEnding } from '../ending/call-ending.js';
import { applyChange, PUBLISHED_STATUSES, recordOnce } from '../record/call-changes.js';
import type { CallEventPublisher } from '../record/call-event-publisher.js';
import { isTerminal } from '../record/call-state.js';
import { gatheredCalls } from '../record/gathered-calls.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';

/** A carrier's report on the call itself, not on the leg to the human of a transfer. */
export type CallReport = Exclude<CarrierReport, { kind: 'transfer_leg' }>;

/** How a carrier's word for a call that was never answered ends it here. */
const UNANSWERED: Readonly<
  Record<'busy' | 'no_answer' | 'failed' | 'canceled', { reason: EndReason; code: string | null }>
> = {
  busy: { reason: 'busy', code: null },
  no_answer: { reason: 'no_answer', code: null },
  failed: { reason: 'carrier_failed', code: 'carrier_failed' },
  canceled: { reason: 'carrier_failed', code: 'canceled' },
};

/** Callbacks carry the time in whole seconds; one no older than this counts as happening now, in ms. */
const FRESH_MS = 2000;

/**
 * Returns when the reported change happened: now, unless the carrier's own time shows that it was long on its way.
 * Pure.
 */
export function timeOfCallback(reportedAt: number | null, now: number): number {
  return reportedAt !== null && reportedAt < now - FRESH_MS ? reportedAt : now;
}

interface CarrierCallbackHandlerOptions {
  readonly calls: CallModel;
  readonly ending: CallEnding;
  readonly commands: WorkerCommands;
  readonly eventPublisher: CallEventPublisher;
  readonly attestations: Pick<Attestations, 'signedByCarrier'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Handles what carriers report of calls, by callback or when asked. Callbacks come late, twice and in any
 * order: only the state machine decides what they still mean.
 */
export class CarrierCallbackHandler {
  readonly #options: CarrierCallbackHandlerOptions;

  constructor(options: CarrierCallbackHandlerOptions) {
    this.#options = options;
  }

  /** Throws 404 `call_not_found` for a call that is not this carrier's. */
  async accept(carrier: CarrierName, report: CallReport): Promise<void> {
    const call = await this.#find(carrier, report);
    if (!call) throw apiError('call_not_found');
    this.#options.log.info(
      {
        call_id: call._id,
        carrier,
        report: describe(report),
        status: call.status,
      },
      'carrier callback',
    );
    if (report.kind === 'answered_by') await this.#answeredBy(call, report.answeredBy);
    else if (report.kind === 'recording') await this.#recording(call, report);
    else if (report.kind === 'price') await this.#price(call, report.amount);
    else {
      if (report.attestation !== null && call.direction === 'outbound') {
        const { sandbox, from_number: number } = call;
        await this.#options.attestations.signedByCarrier(
          { tenant: tenantOf(call), sandbox, number },
          report.attestation,
        );
      }
      await this.status(call, report.status, timeOfCallback(report.at, this.#options.clock.now()));
    }
  }

  /** Applies what the carrier says of the call's state; also used with the answer to a question. */
  async status(call: CallDocument, status: CarrierCallStatus, at: number): Promise<void> {
    const tenant = tenantOf(call);
    if (isTerminal(call.status)) {
      // Over for us (hung up while the carrier was asked, given up): so it must be over there too.
      const rings = status === 'initiated' || status === 'ringing' || status === 'answered';
      if (rings && call.end_reason !== 'transferred') await this.#options.ending.hangUpAtCarrier(call);
      if (status === 'completed') await this.#carrierEnded(call, at);
      return;
    }
    switch (status) {
      case 'initiated':
        return;
      case 'ringing':
      case 'answered': {
        const moved = await applyChange(
          this.#options.calls,
          tenant,
          call._id,
          { to: status === 'ringing' ? 'RINGING' : 'IN_PROGRESS', at, cause: `carrier:${status}` },
          this.#options.clock.now(),
          call,
        );
        if (moved?.applied && PUBLISHED_STATUSES.includes(moved.status))
          this.#options.eventPublisher.soon(call);
        return;
      }
      case 'busy':
      case 'no_answer':
      case 'failed':
      case 'canceled': {
        await this.#carrierEnded(call, at);
        const { reason, code } = UNANSWERED[status];
        await this.#options.ending.end(
          tenant,
          call._id,
          {
            to: 'ended',
            at,
            cause: `carrier:${status}`,
            endReason: reason,
            errorCode: code,
            errorMessage: code && 'The carrier could not complete the call.',
          },
          'carrier',
          call,
        );
        return;
      }
      case 'completed':
        // The worker knows why it ended and says so; if it cannot, the reconciliation ends the call.
        await this.#carrierEnded(call, at);
        await this.#options.commands.send(call, 'carrier_ended', {
          kind: 'carrier_ended',
          reason: 'caller_hangup',
        });
        return;
    }
  }

  async #carrierEnded(call: CallDocument, at: number): Promise<void> {
    if (call.carrier_ended_at) return;
    await gatheredCalls(this.#options.calls).notes.make(
      { _id: call._id, tenant_id: call.tenant_id, carrier_ended_at: null },
      { $set: { carrier_ended_at: new Date(at) } },
    );
  }

  async #answeredBy(
    call: CallDocument,
    answeredBy: Extract<CarrierReport, { kind: 'answered_by' }>['answeredBy'],
  ): Promise<void> {
    await recordOnce(
      this.#options.calls,
      tenantOf(call),
      call._id,
      {
        name: `answered_by:${answeredBy}`,
        type: 'call.answered_by',
        at: this.#options.clock.now(),
        data: { answered_by: answeredBy },
      },
      { answered_by: answeredBy },
    );
    if (isTerminal(call.status)) return;
    await this.#options.commands.send(call, `answered_by:${answeredBy}`, {
      kind: 'machine_detected',
      answered_by: answeredBy,
    });
  }

  /** Stores what the carrier charges: the first word counts, and none that comes when the cost is final. */
  async #price(call: CallDocument, amount: number): Promise<void> {
    await this.#options.calls.updateOne(
      { _id: call._id, tenant_id: call.tenant_id, carrier_price: null, cost: null },
      { $set: { carrier_price: amount } },
    );
  }

  /** Notes the carrier's own recording, where somebody has switched one on there: shown in the timeline. */
  async #recording(call: CallDocument, report: Extract<CallReport, { kind: 'recording' }>): Promise<void> {
    await recordOnce(this.#options.calls, tenantOf(call), call._id, {
      name: `carrier_recording:${report.recordingId}:${report.status}`,
      type: 'carrier.recording',
      at: this.#options.clock.now(),
      data: { recording_id: report.recordingId, status: report.status },
    });
  }

  /** Finds the call that the report is of; one that does not know its carrier's id yet learns it here. */
  async #find(carrier: CarrierName, report: CallReport): Promise<CallDocument | null> {
    const { callId, carrierCallId } = report;
    if (callId !== null && isUuid(callId)) {
      const { reads, notes } = gatheredCalls(this.#options.calls);
      const known = await reads.getOfAnyTenant(callId);
      if (known?.carrier !== carrier) return null;
      if (known.carrier_call_id === carrierCallId) return known;
      const { tenant_id } = known;
      await notes.make(
        { _id: callId, tenant_id, carrier, carrier_call_id: null, dispatch_stage: { $ne: 'waiting' } },
        { $set: { carrier_call_id: carrierCallId, dispatch_stage: 'dialed' } },
      );
      // The dispatcher may have written the same id meanwhile.
      const now = await reads.get(tenant_id, callId);
      return now?.carrier_call_id === carrierCallId ? now : null;
    }
    return this.#options.calls
      .findOne({ carrier_call_id: carrierCallId, carrier })
      .lean<CallDocument>()
      .exec();
  }
}

function describe(report: CallReport): string {
  switch (report.kind) {
    case 'answered_by':
      return `answered_by ${report.answeredBy}`;
    case 'price':
      return 'price';
    case 'status':
    case 'recording':
      return `${report.kind} ${report.status}`;
  }
}
