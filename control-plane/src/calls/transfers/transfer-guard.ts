import type { Clock } from '@voice/shared/clock/clock';
import { testNumber } from '@voice/shared/contracts/test-numbers';
import { TRANSFER_LIMIT_MS } from '@voice/shared/contracts/transfer-times';
import type { TenantId } from '@voice/shared/ids/ids';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { ValidationError } from '../../platform/http/validation.js';
import { type SpecialNumber, specialNumber } from '../../telephony/verifications/destinations.js';
import type { CallDocument, CallModel } from '../record/model.js';
import { TESTER_LINES } from '../record/test-sessions.js';
import type { TransferModel, TransferRow, TransferType } from './model.js';

export interface TransferWish {
  /** The same for every retry of the same wish. */
  readonly id: string;
  readonly destination: string;
  readonly type: TransferType;
  readonly toolCallId: string | null;
  readonly briefing?: string;
  /** Epoch ms; `TRANSFER_LIMIT_MS` from now by default. */
  readonly giveUpAt?: number;
}

/** What the tenant, or the agent's model, reads of a number that may pay its owner for every minute. */
const SPECIAL_NUMBERS: Readonly<Record<SpecialNumber, string>> = {
  not_in_use: 'No such number is in use in its country. Check the digits.',
  no_country:
    'Calls are not transferred to satellite phones and international networks. Use a number of a country.',
  number_type:
    'Calls are transferred to ordinary numbers only: not to premium, shared-cost, personal or pager numbers.',
};

interface TransferGuardOptions {
  readonly transfers: TransferModel;
  readonly calls: CallModel;
  readonly clock: Clock;
}

/** Lets one transfer at a time have a call: the guard on the call is taken by one conditional update. */
export class TransferGuard {
  readonly #options: TransferGuardOptions;

  constructor(options: TransferGuardOptions) {
    this.#options = options;
  }

  /**
   * Writes the wish down and takes the guard; the row that is there when the same wish comes again. Throws 409
   * `call_not_active`, `transfer_not_possible` or `transfer_in_progress`, 403 `sandbox_number_required`, 422 for a
   * number that is not ordinary: nothing holds or charges what the talk with the human costs.
   */
  async begin(tenant: TenantId, call: CallDocument, wish: TransferWish): Promise<TransferRow> {
    const { transfers, calls, clock } = this.#options;
    if (call.status !== 'IN_PROGRESS') throw apiError('call_not_active');
    if (TESTER_LINES.some((line) => line === call.carrier)) throw apiError('transfer_not_possible');
    if (!call.carrier_call_id) throw apiError('call_not_active');
    if (call.sandbox && !testNumber(wish.destination)) throw apiError('sandbox_number_required');
    const special = call.sandbox ? null : specialNumber(wish.destination);
    if (special !== null) {
      const msg = SPECIAL_NUMBERS[special];
      throw new ValidationError([{ loc: ['body', 'destination'], msg, type: 'value_error' }]);
    }
    const now = new Date(clock.now());
    const row: TransferRow = {
      _id: wish.id,
      tenant_id: tenant,
      call_id: call._id,
      tool_call_id: wish.toolCallId,
      destination: wish.destination,
      transfer_type: wish.type,
      briefing: wish.briefing ?? 'You have a call, transferred by an assistant. Connecting you now.',
      stage: 'requested',
      leg_id: null,
      error_code: null,
      deadline_at: new Date(wish.giveUpAt ?? now.getTime() + TRANSFER_LIMIT_MS),
      created_at: now,
      moved_at: now,
      settled: false,
    };
    try {
      await transfers.create(row);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return transfers.findOne({ _id: wish.id, tenant_id: tenant }).orFail().lean<TransferRow>();
    }
    const guarded = await calls.updateOne(
      { _id: call._id, tenant_id: tenant, status: 'IN_PROGRESS', transfer_in_progress: { $ne: true } },
      { $set: { transfer_in_progress: true, transfer_id: row._id } },
    );
    if (guarded.matchedCount === 1) return row;
    await transfers.deleteOne({ _id: row._id });
    const current = await calls.findOne({ _id: call._id, tenant_id: tenant }).lean<CallDocument>();
    throw apiError(current?.status === 'IN_PROGRESS' ? 'transfer_in_progress' : 'call_not_active');
  }
}
