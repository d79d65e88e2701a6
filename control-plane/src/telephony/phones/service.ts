import type { Clock } from '@voice/shared/clock/clock';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { derivedId, type TenantId } from '@voice/shared/ids/ids';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { Gathered } from '../../platform/store/gathered.js';
import { rowsOf } from '../../platform/store/rows-of.js';
import { ownedBy, scopeName, scopeOf, type TenantScope } from '../../platform/store/tenant-scope.js';
import {
  IN_USE,
  type PhoneNumberDocument,
  type PhoneNumberModel,
  type PhoneProvider,
  sharedClaim,
} from './model.js';

/** A number that may be shown to the callee. */
export interface CallerId {
  readonly number: string;
  readonly provider: PhoneProvider;
}

/** A number that somebody calls. */
export interface AnsweredNumber extends TenantScope {
  readonly id: string;
  readonly agentId: string | null;
}

/** A number that a tenant says is theirs. */
interface OwnNumber {
  readonly scope: TenantScope;
  readonly number: string;
}

const ownNumberName = ({ scope, number }: OwnNumber) => `${scopeName(scope)}/${number}`;

export class PhonesService {
  readonly #numbers: PhoneNumberModel;
  readonly #clock: Clock;
  /** Questions that come at the same time are one query. */
  readonly #owned = new Gathered((asked: readonly OwnNumber[]) => this.#findOwned(asked));

  constructor(numbers: PhoneNumberModel, clock: Clock) {
    this.#numbers = numbers;
    this.#clock = clock;
  }

  /** Gives the tenant its sandbox caller id: verified, attestation A, dials simulated people only. Idempotent. */
  async ensureSandboxCallerId(tenant: TenantId): Promise<void> {
    const now = new Date(this.#clock.now());
    const fresh: PhoneNumberDocument = {
      _id: derivedId(tenant, 'sandbox caller id'),
      tenant_id: tenant,
      number: SANDBOX_CALLER_ID,
      provider: 'simulated',
      agent_id: null,
      caller_id_verified_at: now,
      attestation: 'A',
      created_at: now,
      source: 'sandbox',
      state: 'active',
      moved_at: now,
      sandbox: true,
      claim: sharedClaim(tenant, { number: SANDBOX_CALLER_ID, sandbox: true }),
      carrier_number_id: null,
    };
    try {
      await this.#numbers.updateOne(
        { tenant_id: tenant, number: SANDBOX_CALLER_ID, sandbox: true },
        { $setOnInsert: fresh },
        { upsert: true },
      );
    } catch (error) {
      // Another replica was faster: the number is there, which is all that was wanted.
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /**
   * Returns the number as a caller id that may be dialed with, or the refusal: 403 `caller_id_unverified` when it is
   * not the tenant's in this mode or not verified, 403 `attestation_insufficient` for B and C.
   */
  async requireCallerId(scope: TenantScope, number: string): Promise<CallerId> {
    const found = await this.#owned.add({ scope, number });
    if (
      !found?.caller_id_verified_at ||
      (found.provider === 'simulated') !== scope.sandbox ||
      (found.state ?? 'active') !== 'active'
    ) {
      throw apiError('caller_id_unverified');
    }
    // Unknown is no refusal: verified numbers are dialed with unless somebody says that they are B or C.
    if (found.attestation === 'B' || found.attestation === 'C') throw apiError('attestation_insufficient');
    return { number: found.number, provider: found.provider };
  }

  async #findOwned(asked: readonly OwnNumber[]): Promise<readonly (PhoneNumberDocument | null)[]> {
    const distinct = new Map(asked.map((own) => [ownNumberName(own), own]));
    const filters = [...distinct.values()].map(({ scope, number }) => ({ ...ownedBy(scope), number }));
    const rows = rowsOf<PhoneNumberDocument>(this.#numbers);
    const [only] = filters;
    const found = await rows.find(filters.length === 1 && only ? only : { $or: filters }).toArray();
    const byName = new Map(
      found.map((row) => [ownNumberName({ scope: scopeOf(row), number: row.number }), row]),
    );
    return asked.map((own) => byName.get(ownNumberName(own)) ?? null);
  }

  /**
   * Returns the tenant's oldest number that may be dialed with for real; throws 403 `caller_id_unverified` without one.
   */
  async anyCallerId(tenant: TenantId): Promise<string> {
    const found = await this.#numbers
      .findOne({
        ...ownedBy({ tenant, sandbox: false }),
        caller_id_verified_at: { $ne: null },
        attestation: { $nin: ['B', 'C'] },
        ...IN_USE,
      })
      .sort({ created_at: 1, _id: 1 })
      .lean<PhoneNumberDocument>();
    if (!found)
      throw apiError('caller_id_unverified', 'The tenant has no verified number; name `from_number`.');
    return found.number;
  }

  /** Whose agent answers calls to this number; null when it is nobody's. */
  async answering(carrier: PhoneProvider, number: string): Promise<AnsweredNumber | null> {
    const bought = { number, provider: carrier, source: 'purchased' as const, state: 'active' as const };
    // A number that somebody brought counts when it is shown to be theirs.
    const brought = { number, provider: carrier, source: 'imported' as const, state: 'active' as const };
    const found =
      (await this.#numbers.findOne(bought).lean<PhoneNumberDocument>()) ??
      (await this.#numbers
        .findOne({ ...brought, caller_id_verified_at: { $ne: null } })
        .sort({ caller_id_verified_at: -1 })
        .lean<PhoneNumberDocument>());
    return (
      found && {
        id: found._id,
        ...scopeOf(found),
        agentId: found.agent_id,
      }
    );
  }
}
