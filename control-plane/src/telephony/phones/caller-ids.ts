import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { apiError } from '../../platform/http/error-codes.js';
import { ownedBy, type TenantScope } from '../../platform/store/tenant-scope.js';
import { IN_USE, type PhoneNumberDocument, type PhoneNumberModel } from './model.js';

/** What a campaign says of the number that it calls from. */
interface CallerIdChoice {
  /** Of a phone number; null: none in particular. */
  readonly caller_id: string | null;
  readonly agent_id: string;
}

/** Which number a campaign calls from. Whether it may be dialed with is the calls' own rule. */
export class CallerIds {
  readonly #numbers: PhoneNumberModel;

  constructor(numbers: PhoneNumberModel) {
    this.#numbers = numbers;
  }

  /** Throws 404 `caller_id_not_found` unless it is a number of the tenant in this mode. */
  async require(scope: TenantScope, phoneId: string): Promise<string> {
    const row = await this.#numbers.findOne({ _id: phoneId, ...ownedBy(scope) }).lean<PhoneNumberDocument>();
    if (!row) throw apiError('caller_id_not_found');
    return row.number;
  }

  /**
   * Returns the campaign's own, or for lack of one: in the sandbox its caller ID, else the verified number that belongs
   * to the agent, else the tenant's oldest verified one. Throws 403 `caller_id_unverified` for none.
   */
  async numberFor(scope: TenantScope, campaign: CallerIdChoice): Promise<string> {
    if (campaign.caller_id !== null) return this.require(scope, campaign.caller_id);
    if (scope.sandbox) return SANDBOX_CALLER_ID;
    const usable = {
      ...ownedBy(scope),
      caller_id_verified_at: { $ne: null },
      attestation: { $nin: ['B' as const, 'C' as const] },
      provider: { $ne: 'simulated' as const },
      ...IN_USE,
    };
    const row =
      (await this.#oldest({ ...usable, agent_id: campaign.agent_id })) ?? (await this.#oldest(usable));
    if (!row) throw apiError('caller_id_unverified', 'The tenant has no verified number to call from.');
    return row.number;
  }

  #oldest(filter: object): Promise<PhoneNumberDocument | null> {
    return this.#numbers.findOne(filter).sort({ created_at: 1, _id: 1 }).lean<PhoneNumberDocument>().exec();
  }
}
