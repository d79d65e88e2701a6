import type { TenantId } from '@voice/shared/ids/ids';
import { isDuplicateKey } from '../platform/http/errors.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';
import { GatheredInserts } from '../platform/store/gathered-inserts.js';
import { type AccountState, NEW_ACCOUNT } from './account-state.js';
import type { LedgerModel, LedgerRow } from './ledger-model.js';
import { nextEntries, stateAfter } from './next-entries.js';
import type { PendingEntryModel, PendingEntryRow } from './pending-entry-model.js';

const IN_ORDER = { at: 1, _id: 1 } as const;

/** Ledgers and pending entries in the store. */
export class LedgerStore {
  readonly #entries: LedgerModel;
  readonly #pending: PendingEntryModel;
  readonly #inserts: GatheredInserts<PendingEntryRow>;

  constructor(entries: LedgerModel, pending: PendingEntryModel) {
    this.#entries = entries;
    this.#pending = pending;
    this.#inserts = new GatheredInserts(pending);
  }

  /** Adds a pending entry; one of its id that is pending already stays as it is. */
  async append(row: PendingEntryRow): Promise<void> {
    await this.#inserts.insert(row);
  }

  /** Returns the account as it is: after the last posted entry and what is pending. */
  async stateOf(tenant: TenantId): Promise<AccountState> {
    // In this order: what is removed from the pending ones is in the ledger before.
    const pending = await this.#pending
      .find({ tenant_id: tenant }, { at: 1, change: 1 })
      .sort(IN_ORDER)
      .lean<PendingEntryRow[]>();
    const last = await this.last(tenant);
    if (pending.length === 0) return last?.state ?? NEW_ACCOUNT;
    const posted = await this.postedAmong(tenant, pending);
    // One that was posted after `last` was read is not in its account: its number says so.
    const counted = new Set(posted.filter(({ seq }) => seq <= (last?.seq ?? 0)).map(({ _id }) => _id));
    return stateAfter(
      last,
      pending.filter(({ _id }) => !counted.has(_id)),
    );
  }

  last(tenant: TenantId): Promise<LedgerRow | null> {
    return this.#entries.findOne({ tenant_id: tenant }).sort({ seq: -1 }).lean<LedgerRow>().exec();
  }

  posted(tenant: TenantId, id: string): Promise<LedgerRow | null> {
    return this.#entries.findOne({ _id: id, tenant_id: tenant }).lean<LedgerRow>().exec();
  }

  /** Returns the entries of the ledger among those. */
  postedAmong(tenant: TenantId, pending: readonly PendingEntryRow[]): Promise<LedgerRow[]> {
    return this.#entries
      .find({ tenant_id: tenant, _id: { $in: pending.map(({ _id }) => _id) } })
      .sort({ seq: 1 })
      .lean<LedgerRow[]>()
      .exec();
  }

  /** Returns pending entries in the order in which they are to be posted. */
  pendingOf(tenant: TenantId, skip: number, limit: number): Promise<PendingEntryRow[]> {
    return this.#pending
      .find({ tenant_id: tenant })
      .sort(IN_ORDER)
      .skip(skip)
      .limit(limit)
      .lean<PendingEntryRow[]>()
      .exec();
  }

  /** Returns the tenants that have an entry pending since then (epoch ms), or for longer. */
  async tenantsPendingSince(at: number): Promise<string[]> {
    return this.#pending.distinct('tenant_id', { at: { $lte: new Date(at) } }).exec();
  }

  /**
   * Posts pending entries after `last`. Returns their rows, or null where something else was posted meanwhile. The rows
   * are inserted one after another, up to the first whose number or id is taken: so each stands on the entry that it
   * was reckoned from, and a replica that dies half-way leaves a ledger that is right.
   */
  async post(
    tenant: TenantId,
    last: LedgerRow | null,
    pending: readonly PendingEntryRow[],
  ): Promise<LedgerRow[] | null> {
    const rows = await nextEntries({
      tenant,
      last,
      pending,
      spentUntil: (at) => this.#spentUntil(tenant, at),
    });
    try {
      await this.#entries.insertMany(rows, { ordered: true, lean: true });
      return rows;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return null;
    }
  }

  /** Removes pending entries that are posted, and of which all is done that follows from them. */
  async remove(tenant: TenantId, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#pending.deleteMany({ tenant_id: tenant, _id: { $in: [...ids] } });
  }

  async #spentUntil(tenant: TenantId, at: number): Promise<MicroDollars> {
    const entry = await this.#entries
      .findOne({ tenant_id: tenant, at: { $lte: new Date(at) } })
      .sort({ at: -1, seq: -1 })
      .lean<LedgerRow>();
    return entry?.state.totalSpent ?? 0;
  }
}
