import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import { isDuplicateKey } from '../platform/http/errors.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';
import {
  type AccountChange,
  type AccountState,
  applyToAccount,
  FORECAST_MS,
  NEW_ACCOUNT,
} from './account-state.js';
import type { LedgerModel, LedgerRow } from './ledger-model.js';

/**
 * The tenants' accounts as append-only ledgers. An entry is one document that holds the change and the
 * account after it, so no crash leaves half of one; its id makes it happen once, and its number, taken
 * once a tenant, puts the replicas' entries one after another.
 */
export class Ledger {
  readonly #entries: LedgerModel;
  readonly #clock: Clock;
  /** The end of each tenant's queue in this process: most competition is within one. */
  readonly #queues = new Map<TenantId, Promise<unknown>>();

  constructor(entries: LedgerModel, clock: Clock) {
    this.#entries = entries;
    this.#clock = clock;
  }

  async stateOf(tenant: TenantId): Promise<AccountState> {
    return (await this.#last(tenant))?.state ?? NEW_ACCOUNT;
  }

  /** Enters the change under its id; one that is there already is returned as it was entered. */
  async enter(tenant: TenantId, id: string, change: AccountChange): Promise<LedgerRow> {
    const before = this.#queues.get(tenant) ?? Promise.resolve();
    const mine = before.then(() => this.#enter(tenant, id, change));
    const settled = mine.catch(() => {});
    this.#queues.set(tenant, settled);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(tenant) === settled) this.#queues.delete(tenant);
    }
  }

  async #enter(tenant: TenantId, id: string, change: AccountChange): Promise<LedgerRow> {
    for (;;) {
      const [known, last] = await Promise.all([
        this.#entries.findOne({ _id: id, tenant_id: tenant }).lean<LedgerRow>(),
        this.#last(tenant),
      ]);
      if (known) return known;
      // Clocks of replicas differ; the ledger's time does not run backwards.
      const at = Math.max(this.#clock.now(), last?.at.getTime() ?? 0);
      const before = last?.state ?? NEW_ACCOUNT;
      const spentInForecast =
        change.kind === 'usage' && before.credit !== null
          ? before.totalSpent - (await this.#spentUntil(tenant, at - FORECAST_MS))
          : 0;
      const row: LedgerRow = {
        _id: id,
        tenant_id: tenant,
        seq: (last?.seq ?? 0) + 1,
        at: new Date(at),
        change,
        ...entered(applyToAccount(before, change, { at, spentInForecast })),
      };
      try {
        await this.#entries.insertMany([row]);
        return row;
      } catch (error) {
        // Somebody else took the number, or entered the same: look again.
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  #last(tenant: TenantId): Promise<LedgerRow | null> {
    return this.#entries.findOne({ tenant_id: tenant }).sort({ seq: -1 }).lean<LedgerRow>().exec();
  }

  async #spentUntil(tenant: TenantId, at: number): Promise<MicroDollars> {
    const entry = await this.#entries
      .findOne({ tenant_id: tenant, at: { $lte: new Date(at) } })
      .sort({ at: -1, seq: -1 })
      .lean<LedgerRow>();
    return entry?.state.totalSpent ?? 0;
  }
}

function entered({ state, billable, notices }: ReturnType<typeof applyToAccount>) {
  return { state, billable, notices: [...notices] };
}
