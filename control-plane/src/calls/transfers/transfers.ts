import { OUTCOME_LIMIT_MS, RING_SECONDS } from '@voice/shared/contracts/transfer-times';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { apiError } from '../../platform/http/error-codes.js';
import { ValidationError } from '../../platform/http/validation.js';
import type { BackgroundWork } from '../../platform/jobs/background.js';
import { sideBySide } from '../../platform/jobs/side-by-side.js';
import { ReadsByKey } from '../../platform/store/reads-by-key.js';
import { rowsOf } from '../../platform/store/rows-of.js';
import { keyOf, type TenantKey } from '../../platform/store/tenant-scope.js';
import {
  type Carrier,
  CarrierFailure,
  type CarrierName,
  type CarrierReport,
} from '../../telephony/carriers/port.js';
import { isTerminal } from '../record/call-state.js';
import type { CallDocument } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import type { Caller } from '../worker-events/event-intake.js';
import { callOf, type TransferRow, type TransferStage } from './model.js';
import { TransferGuard, type TransferWish } from './transfer-guard.js';
import { TransferRows } from './transfer-rows.js';
import {
  CARRIER_TIMEOUT_MS,
  TransferSettlement,
  type TransferSettlementOptions,
} from './transfer-settlement.js';

/** After how long a stage counts as abandoned, in ms: the replica that asked the carrier has died. */
const ABANDONED_MS = 15_000;
/** A bringing over is repeated only while its outcome is still waited for, in ms after the deadline. */
const REPEATED_UNTIL_MS = OUTCOME_LIMIT_MS - CARRIER_TIMEOUT_MS;
const RINGING_ABANDONED_MS = (RING_SECONDS + 15) * 1000;
/** Transfers that one sweep takes on, and how many of each carrier at once. */
const BATCH = 1000;
const AT_ONCE = 20;
/** When a sweep begins with no further transfer, in ms: one of a minute would be taken for hung. */
const LONGEST_SWEEP_MS = 30_000;
/** The human is being reached, and the caller still talks with the agent. */
const WITH_THE_AGENT: readonly TransferStage[] = ['calling', 'ringing', 'briefing'];

export interface TransfersOptions extends Omit<TransferSettlementOptions, 'rows'> {
  readonly background: BackgroundWork;
  /** Whether the worker has said that the call is over. */
  readonly streamEnded: (call: TenantKey) => Promise<boolean>;
  readonly publicUrl: () => string;
  readonly log: Log;
}

/**
 * Transfers of live calls to humans, in the way of the call's carrier. One at a time: the guard on the call
 * is taken by one conditional update. Every step is written before it is done, so that after a crash
 * it is known whether the caller may be gone.
 */
export class Transfers {
  readonly #options: TransfersOptions;
  readonly #guard: TransferGuard;
  readonly #rows: TransferRows;
  readonly #ofCalls: ReadsByKey<TransferRow, 'call_id'>;
  readonly #settlement: TransferSettlement;

  constructor(options: TransfersOptions) {
    this.#options = options;
    this.#guard = new TransferGuard(options);
    this.#rows = new TransferRows(options);
    this.#ofCalls = new ReadsByKey({ model: options.transfers, key: 'call_id' });
    this.#settlement = new TransferSettlement({ ...options, rows: this.#rows });
  }

  /**
   * Takes the guard and carries the transfer out; a warm one goes on when the human answers and has heard the briefing. Throws 409
   * `call_not_active`, `transfer_not_possible` or `transfer_in_progress`, 403 `sandbox_number_required`, 422
   * `validation_error`, 502 `carrier_error`.
   */
  async transfer(tenant: TenantId, call: CallDocument, wish: TransferWish): Promise<TransferRow> {
    const row = await this.#guard.begin(tenant, call, wish);
    if (row.stage === 'requested') await this.#carryOut(row, call);
    const after = (await this.#rows.find(row._id)) ?? row;
    if (after.stage === 'failed') {
      throw apiError('carrier_error', `The carrier did not transfer the call (${after.error_code}).`);
    }
    return after;
  }

  /** Takes an agent's wish: written down now, carried out in the background, answered by a command to the worker. */
  async requestByAgent(call: CallDocument, wish: TransferWish & { toolCallId: string }): Promise<void> {
    const tenant = tenantOf(call);
    try {
      const row = await this.#guard.begin(tenant, call, wish);
      this.#options.background.run('transfer a call', () => this.#carryOut(row, call));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const message = error instanceof ValidationError ? error.detail[0]?.msg : undefined;
      await this.#settlement.answerAgent(call, wish.toolCallId, false, message ?? error.message);
    }
  }

  /** Returns where the caller is, as far as transfers know: it says what the end of our stream means. */
  async callerOf({ _id, tenant_id }: TenantKey): Promise<Caller> {
    const rows = await this.#ofCalls.get(tenant_id, _id);
    if (rows.some(({ stage }) => stage === 'transferred')) return 'brought_over';
    return rows.some(({ stage }) => stage === 'handing_over') ? 'on_the_way' : 'here';
  }

  /** Handles what the carrier reports of the human's phone. Throws 404 `call_not_found` where nobody waits for them. */
  async acceptLegReport(report: Extract<CarrierReport, { kind: 'transfer_leg' }>): Promise<void> {
    const row = await this.#rows.find(report.transferId);
    if (!row || (row.leg_id !== null && row.leg_id !== report.legId)) throw apiError('call_not_found');
    switch (report.status) {
      case 'initiated':
        return;
      case 'ringing':
        if (row.stage === 'failed') return this.#letHumanGo(row, report.legId);
        await this.#rows.move(row, ['calling', 'ringing'], 'ringing', { leg_id: report.legId });
        return;
      case 'answered':
        if (row.stage === 'failed') return this.#letHumanGo(row, report.legId);
        await this.#rows.move(row, ['calling', 'ringing'], 'briefing', { leg_id: report.legId });
        return;
      case 'briefed':
        if (row.stage === 'failed') await this.#letHumanGo(row, report.legId);
        await this.#humanBriefed(row, report.legId);
        if ((await this.#rows.find(row._id))?.stage === 'failed') throw apiError('call_not_found');
        return;
      default: {
        // After the handing over it is only the end of their talk.
        const declined = report.status === 'completed';
        const ended = { leg_id: report.legId, error_code: declined ? 'declined' : report.status };
        if (await this.#rows.move(row, WITH_THE_AGENT, 'failed', ended)) {
          await this.#settlement.settle(row._id);
        }
      }
    }
  }

  /** Goes on with what a crash has left. A carrier that hangs holds up its own calls alone. */
  async resume(): Promise<void> {
    const { transfers, calls, clock } = this.#options;
    const until = clock.monotonic() + LONGEST_SWEEP_MS;
    // The driver itself: this runs every few seconds for ever, and mongoose's queries cost as much as the rest of it.
    const open = await rowsOf<TransferRow>(transfers)
      .find({ settled: false, moved_at: { $lte: new Date(clock.now() - 2000) } })
      .sort({ moved_at: 1 })
      .limit(BATCH)
      .toArray();
    if (open.length === 0) return;
    const known = await calls
      .find(
        {
          _id: { $in: open.map(({ call_id }) => call_id) },
          tenant_id: { $in: [...new Set(open.map(({ tenant_id }) => tenant_id))] },
        },
        { carrier: 1 },
      )
      .lean<Pick<CallDocument, '_id' | 'carrier'>[]>();
    const carrierOf = new Map(known.map(({ _id, carrier }) => [_id, carrier]));
    await Promise.all(
      [...new Set(carrierOf.values())].map((carrier) =>
        sideBySide(
          open.filter(({ call_id }) => carrierOf.get(call_id) === carrier),
          AT_ONCE,
          async (row) => {
            if (clock.monotonic() < until) await this.#goOn(row);
          },
        ),
      ),
    );
  }

  async #goOn(row: TransferRow): Promise<void> {
    const { calls, clock, log } = this.#options;
    try {
      const call = await calls.findOne(callOf(row)).lean<CallDocument>();
      if (call) await this.#resume(row, call, clock.now() - row.moved_at.getTime());
    } catch (error) {
      log.warn({ transfer_id: row._id, error: String(error) }, 'a transfer does not go on');
    }
  }

  async #resume(row: TransferRow, call: CallDocument, age: number): Promise<void> {
    const { streamEnded } = this.#options;
    const over = isTerminal(call.status);
    switch (row.stage) {
      case 'requested':
        if (over) await this.#fail(row, 'call_ended');
        else if (this.#isTooLate(row)) await this.#fail(row, 'timed_out');
        else if (age >= ABANDONED_MS) await this.#carryOut(row, call);
        return;
      case 'calling':
      case 'ringing':
        if (over) await this.#fail(row, 'call_ended');
        else if (age >= RINGING_ABANDONED_MS || this.#isTooLate(row)) await this.#fail(row, 'no_answer');
        return;
      case 'briefing':
        if (over || this.#isTooLate(row)) await this.#fail(row, over ? 'call_ended' : 'timed_out');
        return;
      case 'handing_over': {
        if (age < ABANDONED_MS) return;
        // The stream ended and the call did not: the caller was brought over before we could note it.
        const gone = over ? call.end_reason === 'transferred' : await streamEnded(call);
        if (gone) await this.#finish(row);
        else if (!over && this.#carrierOf(call).repeatable && !this.#isTooLate(row, REPEATED_UNTIL_MS))
          await this.#handOver(row, call, row.leg_id);
        else await this.#fail(row, 'outcome_unknown');
        return;
      }
      case 'transferred':
      case 'failed':
        await this.#settlement.settle(row._id);
    }
  }

  async #carryOut(row: TransferRow, call: CallDocument): Promise<void> {
    const first = row.transfer_type === 'cold' ? 'handing_over' : 'calling';
    // A wish whose guard was never taken has no right to the carrier.
    if (!(await this.#options.calls.exists({ ...keyOf(call), transfer_id: row._id }))) {
      await this.#fail(row, 'guard_not_taken');
      return;
    }
    if (this.#isTooLate(row)) {
      await this.#fail(row, 'timed_out');
      return;
    }
    if (!(await this.#rows.move(row, ['requested'], first))) return;
    if (row.transfer_type === 'cold') await this.#handOver(row, call, null);
    else await this.#ringHuman(row, call);
  }

  async #ringHuman(row: TransferRow, call: CallDocument): Promise<void> {
    const carrier = this.#carrierOf(call);
    try {
      const { legId } = await carrier.ringHuman(
        {
          transferId: row._id,
          from: ourNumber(call),
          to: row.destination,
          briefing: row.briefing,
          ringTimeoutSeconds: this.#ringSeconds(row),
          callbackBaseUrl: this.#callbacksOf(carrier),
        },
        AbortSignal.timeout(CARRIER_TIMEOUT_MS),
      );
      // The human may have answered already, which is reported with the same id.
      await this.#rows.move(row, ['calling'], 'ringing', { leg_id: legId });
    } catch (error) {
      await this.#carrierFailed(row, error);
    }
  }

  /** Brings the caller over, unless the agent goes on by now as if nobody took the call. */
  async #humanBriefed(row: TransferRow, legId: string): Promise<void> {
    const { calls } = this.#options;
    if (this.#isTooLate(row)) {
      await this.#rows.move(row, WITH_THE_AGENT, 'failed', { leg_id: legId, error_code: 'timed_out' });
      await this.#settlement.settle(row._id);
      return;
    }
    if (!(await this.#rows.move(row, WITH_THE_AGENT, 'handing_over', { leg_id: legId }))) return;
    const call = await calls.findOne({ ...callOf(row), status: 'IN_PROGRESS' }).lean<CallDocument>();
    if (call) await this.#handOver(row, call, legId);
    else await this.#fail({ ...row, leg_id: legId }, 'call_ended');
  }

  /** Asks the carrier to bring the caller over: to a number (cold), or to the human who has answered (warm). */
  async #handOver(row: TransferRow, call: CallDocument, legId: string | null): Promise<void> {
    const carrier = this.#carrierOf(call);
    const ids = { transferId: row._id, carrierCallId: call.carrier_call_id! };
    const cold = { ...ids, from: ourNumber(call), to: row.destination };
    const signal = AbortSignal.timeout(CARRIER_TIMEOUT_MS);
    try {
      const callbackBaseUrl = this.#callbacksOf(carrier);
      if (legId !== null) await carrier.join({ ...ids, legId, callbackBaseUrl }, signal);
      else await carrier.transfer({ ...cold, callbackBaseUrl }, signal);
      await this.#finish(row);
    } catch (error) {
      await this.#carrierFailed(row, error);
    }
  }

  /** Lets go of a human who rings or answers after their transfer was given up: by a crash nobody knew of their leg. */
  async #letHumanGo(row: TransferRow, legId: string): Promise<void> {
    const call = await this.#options.calls.findOne(callOf(row)).lean<CallDocument>();
    if (call) await this.#carrierOf(call).hangUp(legId, AbortSignal.timeout(CARRIER_TIMEOUT_MS));
  }

  #isTooLate(row: TransferRow, graceMs = 0): boolean {
    return this.#options.clock.now() >= row.deadline_at.getTime() + graceMs;
  }

  /** A wish that comes late, from a worker that could not reach us, leaves less time to ring. */
  #ringSeconds(row: TransferRow): number {
    const left = Math.floor((row.deadline_at.getTime() - this.#options.clock.now()) / 1000);
    return Math.max(1, Math.min(RING_SECONDS, left));
  }

  #callbacksOf({ name }: Carrier): string {
    return `${this.#options.publicUrl()}/internal/carriers/${name}`;
  }

  #carrierOf(call: CallDocument): Carrier {
    return this.#options.carriers.require(call.carrier as CarrierName);
  }

  /** A carrier that did not answer may have done it: that is found out later (`resume`). */
  async #carrierFailed(row: TransferRow, error: unknown): Promise<void> {
    if (!(error instanceof CarrierFailure)) throw error;
    this.#options.log.warn({ transfer_id: row._id, error_code: error.code }, 'the carrier did not transfer');
    if (error.kind === 'unknown') {
      throw apiError('carrier_timeout', 'The carrier did not say whether it transfers.', { cause: error });
    }
    await this.#fail(row, error.code);
  }

  async #finish(row: TransferRow): Promise<void> {
    if (await this.#rows.move(row, ['handing_over'], 'transferred')) await this.#settlement.settle(row._id);
  }

  async #fail(row: TransferRow, errorCode: string): Promise<void> {
    const open: TransferStage[] = ['requested', ...WITH_THE_AGENT, 'handing_over'];
    if (await this.#rows.move(row, open, 'failed', { error_code: errorCode }))
      await this.#settlement.settle(row._id);
  }
}

/** Returns the number of ours that the call runs over. */
function ourNumber(call: CallDocument): string {
  return call.direction === 'outbound' ? call.from_number : call.to_number;
}
