import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import { type Log, maskPhoneNumber } from '@voice/shared/log/log';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { NEWEST_FIRST } from '../../platform/http/pagination.js';
import { ownedBy, type TenantScope } from '../../platform/store/tenant-scope.js';
import type { Carriers } from '../carriers/carriers.js';
import {
  type AvailableNumber,
  CarrierFailure,
  NUMBER_ORDER_PENDING,
  type NumberSearch,
  type OwnedNumber,
} from '../carriers/port.js';
import {
  type PhoneNumberDocument,
  type PhoneNumberModel,
  type PhoneProvider,
  sharedClaim,
  soleClaim,
} from './model.js';
import { plannedNumber } from './numbering-plan.js';

const CARRIER_TIMEOUT_MS = 10_000;
/** After how long a change to a number counts as abandoned, in ms: the replica that asked the carrier has died. */
const ABANDONED_MS = 60_000;
/** How long an order that the carrier has may take, in ms: papers that it wants are looked through by people. */
const ORDER_DUE_MS = 30 * 86_400_000;
const BATCH = 50;

/** Who asks: the sandbox has the simulated carrier's numbers, production the others. */
export type NumberOwner = TenantScope;

export interface NumberServiceOptions {
  readonly numbers: PhoneNumberModel;
  readonly carriers: Carriers;
  /** Throws 404 `agent_not_found` for an absent or foreign one. */
  readonly requireAgent: (tenant: TenantId, agentId: string) => Promise<unknown>;
  /** Refuses with 402 when the tenant may not spend any more. */
  readonly admitSpending: (scope: TenantScope) => Promise<void>;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A tenant's numbers, bought from carriers or brought along. A purchase is written down before the carrier
 * is asked, and a release before it is requested: whatever dies in between, no number is paid for and lost.
 */
export class NumberService {
  readonly #options: NumberServiceOptions;

  constructor(options: NumberServiceOptions) {
    this.#options = options;
  }

  async search(
    { sandbox }: NumberOwner,
    provider: PhoneProvider,
    search: NumberSearch,
  ): Promise<AvailableNumber[]> {
    const carrier = this.#options.carriers.require(sandbox ? 'simulated' : provider);
    return asked(() => carrier.numbers.search(search, AbortSignal.timeout(CARRIER_TIMEOUT_MS)));
  }

  list(owner: NumberOwner): Promise<PhoneNumberDocument[]> {
    return this.#options.numbers
      .find({ ...ownedBy(owner), state: 'active' })
      .sort(NEWEST_FIRST)
      .lean<PhoneNumberDocument[]>()
      .exec();
  }

  /** Countries of the tenant's real numbers that are shown to be its own. */
  async countriesOf(tenant: TenantId): Promise<Set<string>> {
    const rows = await this.#options.numbers
      .find(
        { tenant_id: tenant, sandbox: false, state: 'active', caller_id_verified_at: { $ne: null } },
        { number: 1 },
      )
      .lean<Pick<PhoneNumberDocument, 'number'>[]>();
    return new Set(rows.flatMap(({ number }) => plannedNumber(number).country ?? []));
  }

  /** Buys the number and registers it, verified and attested A. Throws 409 when it is taken or not for sale. */
  async buy(
    owner: NumberOwner,
    id: string,
    number: string,
    provider: PhoneProvider,
  ): Promise<PhoneNumberDocument> {
    await this.#options.admitSpending(owner);
    const carrier = this.#options.carriers.require(owner.sandbox ? 'simulated' : provider);
    const fresh: PhoneNumberDocument = {
      ...this.#fresh(owner, id, number, carrier.name),
      source: 'purchased',
      state: 'buying',
      claim: soleClaim({ number, sandbox: owner.sandbox }),
    };
    const found = await this.#insert(fresh);
    const isFirstTry = found === fresh;
    const row = isFirstTry ? fresh : await this.#keepFromSweep(found, fresh);
    if (row.state === 'active') return row;
    try {
      // A request that is sent again because its first try died: the number may be ours by then.
      const owned = isFirstTry
        ? null
        : await carrier.numbers.owned(number, AbortSignal.timeout(CARRIER_TIMEOUT_MS));
      if (owned) return await this.#activate(row, owned);
      const base = `${this.#options.publicUrl()}/internal/carriers/${carrier.name}`;
      return await this.#activate(
        row,
        await carrier.numbers.buy(number, base, AbortSignal.timeout(CARRIER_TIMEOUT_MS)),
      );
    } catch (error) {
      if (!(error instanceof CarrierFailure)) throw error;
      this.#options.log.warn(
        { number: maskPhoneNumber(number), error_code: error.code },
        'a number was not bought',
      );
      if (error.code === NUMBER_ORDER_PENDING) {
        const now = new Date(this.#options.clock.now());
        await this.#options.numbers.updateOne(
          { _id: row._id, state: 'buying' },
          { $set: { ordered_at: now, moved_at: now } },
        );
      }
      // It may be ours now, or soon: the sweep finds out. What becomes of a second try says nothing of the first,
      // whose order may be why the number is not for sale.
      if (error.kind === 'unknown' || !isFirstTry) {
        throw apiError('carrier_timeout', 'The carrier did not say whether the number is bought.', {
          cause: error,
        });
      }
      await this.#options.numbers.deleteOne({ _id: row._id, state: 'buying' });
      throw error.kind === 'rejected'
        ? apiError('phone_number_unavailable')
        : apiError('carrier_error', undefined, { cause: error });
    }
  }

  /** Registers a number that the tenant has; it can be dialed with once it is verified. */
  import(
    owner: NumberOwner,
    id: string,
    number: string,
    provider: PhoneProvider,
  ): Promise<PhoneNumberDocument> {
    const carrier = this.#options.carriers.require(owner.sandbox ? 'simulated' : provider);
    return this.#insert(this.#fresh(owner, id, number, carrier.name));
  }

  async assign(owner: NumberOwner, phoneId: string, agentId: string | null): Promise<PhoneNumberDocument> {
    const row = await this.#require(owner, phoneId);
    if (agentId !== null) await this.#options.requireAgent(owner.tenant, agentId);
    await this.#options.numbers.updateOne(
      { _id: phoneId, ...ownedBy(owner) },
      { $set: { agent_id: agentId } },
    );
    return { ...row, agent_id: agentId };
  }

  /** Gives the number up, at the carrier too. */
  async release(owner: NumberOwner, phoneId: string): Promise<void> {
    const row = await this.#require(owner, phoneId, true);
    if (row.source === 'sandbox') throw apiError('phone_number_not_releasable');
    await this.#options.numbers.updateOne(
      { _id: phoneId, ...ownedBy(owner), state: { $ne: 'buying' } },
      { $set: { state: 'releasing', moved_at: new Date(this.#options.clock.now()) } },
    );
    await asked(() => this.#releaseAtCarrier(row));
  }

  /** Stamps the tenant's rows of a number as shown to be theirs; returns their ids. */
  async stampVerified({ tenant, sandbox }: NumberOwner, number: string, at: Date): Promise<string[]> {
    const { numbers } = this.#options;
    const rows = await numbers
      .find({ tenant_id: tenant, sandbox, number, state: 'active' })
      .lean<PhoneNumberDocument[]>();
    for (const { _id } of rows) {
      await numbers.updateOne({ _id, tenant_id: tenant }, { $set: { caller_id_verified_at: at } });
      // A call that merely showed the number says less than who has just answered at it. How our carrier signs
      // calls from it is not ours to say: unknown, until it does.
      await numbers.updateOne(
        { _id, tenant_id: tenant, attestation_source: 'inbound' },
        { $set: { attestation: null, attestation_source: null } },
      );
    }
    return rows.map(({ _id }) => _id);
  }

  /** Goes on with purchases and releases that a crash, or a carrier that said nothing, has left open. */
  async resume(): Promise<void> {
    const { numbers, carriers, clock, log } = this.#options;
    const open = await numbers
      .find({
        state: { $in: ['buying', 'releasing'] },
        moved_at: { $lte: new Date(clock.now() - ABANDONED_MS) },
      })
      .sort({ moved_at: 1 })
      .limit(BATCH)
      .lean<PhoneNumberDocument[]>();
    for (const row of open) {
      try {
        if (row.state === 'releasing') {
          await this.#releaseAtCarrier(row);
          continue;
        }
        const carrier = carriers.require(row.provider);
        const owned = await carrier.numbers.owned(row.number, AbortSignal.timeout(CARRIER_TIMEOUT_MS));
        if (owned) await this.#activate(row, owned);
        else if (row.ordered_at && clock.now() < row.ordered_at.getTime() + ORDER_DUE_MS)
          await this.#putOff(row);
        // Unless it was ordered by a second try meanwhile.
        else await numbers.deleteOne({ _id: row._id, state: 'buying', moved_at: row.moved_at });
      } catch (error) {
        log.warn({ phone_id: row._id, error: String(error) }, 'a number is still open');
        await this.#putOff(row);
      }
    }
  }

  /** Behind the others: one that no carrier answers for, or whose order takes long, must not hold them up. */
  async #putOff({ _id, state }: PhoneNumberDocument): Promise<void> {
    const { numbers, clock } = this.#options;
    await numbers.updateOne({ _id, state }, { $set: { moved_at: new Date(clock.now()) } });
  }

  #fresh({ tenant, sandbox }: NumberOwner, id: string, number: string, provider: PhoneProvider) {
    const now = new Date(this.#options.clock.now());
    const row: PhoneNumberDocument = {
      _id: id,
      tenant_id: tenant,
      number,
      provider,
      agent_id: null,
      caller_id_verified_at: null,
      attestation: null,
      created_at: now,
      source: 'imported',
      state: 'active',
      moved_at: now,
      sandbox,
      claim: sharedClaim(tenant, { number, sandbox }),
      carrier_number_id: null,
    };
    return row;
  }

  /** Inserts the row. Returns it, or the one that the same request made before. Throws 409 `phone_number_taken`. */
  async #insert(row: PhoneNumberDocument): Promise<PhoneNumberDocument> {
    const { numbers } = this.#options;
    try {
      await numbers.create(row);
      return row;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const mine = await numbers
        .findOne({ _id: row._id, tenant_id: row.tenant_id })
        .lean<PhoneNumberDocument>();
      if (!mine) throw apiError('phone_number_taken');
      return mine;
    }
  }

  /**
   * Returns the row of a first try, at which the sweep does not look before a second try is over; `fresh` in its place
   * where the sweep has just deleted it.
   */
  async #keepFromSweep(found: PhoneNumberDocument, fresh: PhoneNumberDocument): Promise<PhoneNumberDocument> {
    if (found.state !== 'buying') return found;
    const { matchedCount } = await this.#options.numbers.updateOne(
      { _id: found._id, state: 'buying' },
      { $set: { moved_at: fresh.moved_at } },
    );
    return matchedCount === 1 ? found : this.#insert(fresh);
  }

  async #activate(row: PhoneNumberDocument, owned: OwnedNumber): Promise<PhoneNumberDocument> {
    const now = new Date(this.#options.clock.now());
    const bought = {
      state: 'active',
      moved_at: now,
      carrier_number_id: owned.carrierNumberId,
      caller_id_verified_at: now,
      attestation: 'A',
      attestation_source: 'purchase',
    } as const;
    await this.#options.numbers.updateOne({ _id: row._id, state: 'buying' }, { $set: bought });
    return { ...row, ...bought };
  }

  async #releaseAtCarrier(row: PhoneNumberDocument): Promise<void> {
    const { numbers, carriers } = this.#options;
    if (row.carrier_number_id !== null) {
      const carrier = carriers.require(row.provider);
      await carrier.numbers.release(row.carrier_number_id, AbortSignal.timeout(CARRIER_TIMEOUT_MS));
    }
    await numbers.deleteOne({ _id: row._id, tenant_id: asTenantId(row.tenant_id), state: 'releasing' });
  }

  async #require(
    { tenant, sandbox }: NumberOwner,
    phoneId: string,
    alsoReleasing = false,
  ): Promise<PhoneNumberDocument> {
    const states = alsoReleasing ? (['active', 'releasing'] as const) : (['active'] as const);
    const found = await this.#options.numbers
      .findOne({ _id: phoneId, tenant_id: tenant, sandbox, state: { $in: [...states] } })
      .lean<PhoneNumberDocument>();
    if (!found) throw apiError('phone_number_not_found');
    return found;
  }
}

/** Asks a carrier; its failure becomes an error of the API. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof CarrierFailure)) throw error;
    throw apiError(error.kind === 'unknown' ? 'carrier_timeout' : 'carrier_error', undefined, {
      cause: error,
    });
  }
}
