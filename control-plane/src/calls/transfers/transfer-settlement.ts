import type { Clock } from '@voice/shared/clock/clock';
import type { Carriers } from '../../telephony/carriers/carriers.js';
import type { TenantEvents } from '../../webhooks/events/tenant-events.js';
import type { WorkerCommands } from '../../workers/commands.js';
import type { CommandOutcome } from '../../workers/worker-client.js';
import type { CallEnding } from '../ending/call-ending.js';
import { recordOnce } from '../record/call-changes.js';
import { callEventBase, callWebhookEvent, transferEventId } from '../record/call-webhook-events.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { tenantOf } from '../record/tenant-of.js';
import { callOf, type TransferModel, type TransferRow } from './model.js';
import type { TransferRows } from './transfer-rows.js';

/** For how long the carrier may take over an answer, in ms. */
export const CARRIER_TIMEOUT_MS = 10_000;

/** Why the caller stays with the agent. */
type FailureReason = 'busy' | 'no_answer' | 'declined' | 'machine' | 'failed';

function reasonOf(errorCode: string | null): FailureReason {
  switch (errorCode) {
    case 'busy':
    case 'no_answer':
    case 'declined':
    case 'machine':
      return errorCode;
    default:
      return 'failed';
  }
}

/** What the agent's model reads: the reason, and where the caller is. */
const NOT_TRANSFERRED: Readonly<Record<FailureReason, string>> = {
  busy: 'Not transferred (busy): the human is on another call. The caller is still with you.',
  no_answer: 'Not transferred (no_answer): the human did not answer. The caller is still with you.',
  declined: 'Not transferred (declined): the human hung up at the briefing. The caller is still with you.',
  machine: 'Not transferred (machine): an answering machine took the call. The caller is still with you.',
  failed: 'Not transferred (failed): the human could not be reached. The caller is still with you.',
};

export interface TransferSettlementOptions {
  readonly transfers: TransferModel;
  readonly rows: TransferRows;
  readonly calls: CallModel;
  readonly carriers: Carriers;
  readonly commands: WorkerCommands;
  readonly ending: CallEnding;
  readonly events: TenantEvents;
  /** Gives the stored events of a call their effect that was held back while the caller was handed over. */
  readonly settleCall: (call: CallDocument) => Promise<void>;
  readonly clock: Clock;
}

/** What follows from the end of a transfer: for the call, the agent, the human and the tenant's webhooks. */
export class TransferSettlement {
  readonly #options: TransferSettlementOptions;

  constructor(options: TransferSettlementOptions) {
    this.#options = options;
  }

  /** Does all that follows from the end of a transfer. Every part of it may be done again. */
  async settle(id: string): Promise<void> {
    const { transfers, rows, calls } = this.#options;
    const row = await rows.find(id);
    const call = row && (await calls.findOne(callOf(row)).lean<CallDocument>());
    if (!row || !call) return;
    if (row.stage === 'transferred') await this.#settleTransferred(row, call);
    else await this.#settleFailed(row, call);
    await transfers.updateOne({ _id: id }, { $set: { settled: true } });
  }

  async #settleTransferred(row: TransferRow, call: CallDocument): Promise<void> {
    const { calls, events, ending, settleCall, clock } = this.#options;
    const tenant = tenantOf(call);
    const at = row.moved_at.getTime();
    const data = { transfer_to: row.destination, transfer_type: row.transfer_type };
    await recordOnce(calls, tenant, call._id, {
      name: `transferred:${row._id}`,
      type: 'call.transferred',
      at,
      data,
    });
    await events.emit(
      callWebhookEvent(
        call,
        'call.transferred',
        at,
        { ...callEventBase(call), ...data },
        transferEventId(row._id),
      ),
    );
    const agent =
      row.tool_call_id !== null &&
      (await this.answerAgent(call, row.tool_call_id, true, 'The call is transferred.'));
    // The worker then ends the call itself and says how long it was; without it, it ends here.
    if (agent === 'accepted') return;
    // It may have said so before the carrier agreed, when that could still have been a hang-up.
    if (agent === 'already_ended') return settleCall(call);
    await ending.end(
      tenant,
      call._id,
      { to: 'ended', at: clock.now(), cause: 'transfer', endReason: 'transferred' },
      'control_plane',
    );
  }

  async #settleFailed(row: TransferRow, call: CallDocument): Promise<void> {
    const { calls, carriers, settleCall } = this.#options;
    const tenant = tenantOf(call);
    await recordOnce(calls, tenant, call._id, {
      name: `transfer_failed:${row._id}`,
      type: 'transfer.failed',
      at: row.moved_at.getTime(),
      data: { destination: row.destination, error_code: row.error_code, reason: reasonOf(row.error_code) },
    });
    await calls.updateOne(
      { _id: call._id, tenant_id: tenant, transfer_id: row._id },
      { $set: { transfer_in_progress: false } },
    );
    if (row.tool_call_id !== null) {
      await this.answerAgent(call, row.tool_call_id, false, NOT_TRANSFERRED[reasonOf(row.error_code)]);
    }
    const carrier = carriers.find(call.carrier);
    if (row.leg_id !== null && carrier) {
      await carrier.hangUp(row.leg_id, AbortSignal.timeout(CARRIER_TIMEOUT_MS)).catch(() => {});
    }
    await settleCall(call);
  }

  /** Sends the outcome to the agent whose tool asked for the transfer. */
  answerAgent(call: CallDocument, toolCallId: string, ok: boolean, message: string): Promise<CommandOutcome> {
    return this.#options.commands.send(call, `transfer_result:${toolCallId}`, {
      kind: 'transfer_result',
      tool_call_id: toolCallId,
      ok,
      message,
    });
  }
}
