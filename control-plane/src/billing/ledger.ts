import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { sideBySide } from '../platform/jobs/side-by-side.js';
import { type AccountChange, type AccountState, NEW_ACCOUNT } from './account-state.js';
import type { LedgerModel, LedgerRow } from './ledger-model.js';
import { LedgerStore } from './ledger-store.js';
import type { PendingEntryModel } from './pending-entry-model.js';

/** Entries that are posted by one command. */
const BATCH = 500;
/** Least time between two postings of a tenant by one replica, in ms: what is appended meanwhile is one batch. */
const POST_EVERY_MS = 200;
/** How long an entry is left to the replica that appended it, in ms; then it is posted by the sweep. */
const LEFT_AFTER_MS = 5000;
/** Tenants that the sweep posts for at the same time. */
const TENANTS_AT_ONCE = 8;
/** Entries whose consequences are carried out at the same time. */
const ENTRIES_AT_ONCE = 20;

export interface LedgerOptions {
  readonly entries: LedgerModel;
  readonly pending: PendingEntryModel;
  readonly clock: Clock;
  readonly log: Log;
  /** Does what follows from a posted entry, at least once each: again must be the same. Default: nothing. */
  readonly onPosted?: (entry: LedgerRow) => Promise<void>;
  /** Entries in one posting. */
  readonly batch?: number;
}

interface Posting {
  /** Whether something was appended since it looked last. */
  isWanted: boolean;
  /** Ends its pauses. */
  readonly hurry: AbortController;
  done: Promise<void>;
}

/** What came of posting once. */
interface Posted {
  readonly rows: readonly LedgerRow[];
  /** Whether there may be more to post; `raced` when another replica posted meanwhile. */
  readonly left: 'nothing' | 'more' | 'raced';
}

const NOTHING: Posted = { rows: [], left: 'nothing' };

/**
 * The tenants' accounts as append-only ledgers, in two steps, so that calls which end at the same time do not queue up:
 *
 * 1. A change is appended: one insert without a number, once by its id. From then on it counts.
 * 2. Pending entries are posted: numbered one after another, each with the account after it and what of it no credit
 *    covers. Many are one command, and whichever replica posts takes all that are there. What follows from them is done,
 *    and then they are pending no more.
 *
 * Every step may be repeated by any replica at any time. The account is that of the last posted entry and the few that
 * are pending.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #store: LedgerStore;
  readonly #batch: number;
  /** The end of each tenant's queue of postings in this process: most competition is within one. */
  readonly #queues = new Map<TenantId, Promise<unknown>>();
  readonly #postings = new Map<TenantId, Posting>();

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#store = new LedgerStore(options.entries, options.pending);
    this.#batch = options.batch ?? BATCH;
  }

  /** Returns the account as it is, with every change that was appended. */
  stateOf(tenant: TenantId): Promise<AccountState> {
    return this.#store.stateOf(tenant);
  }

  /** Returns the account after the last posted entry: the usage of the last moments may be missing, and no other change. */
  async postedStateOf(tenant: TenantId): Promise<AccountState> {
    return (await this.#store.last(tenant))?.state ?? NEW_ACCOUNT;
  }

  /** Appends the change under its id, once; it is posted soon. */
  async append(tenant: TenantId, id: string, change: AccountChange): Promise<void> {
    await this.#append(tenant, id, change);
    this.#postSoon(tenant);
  }

  /** Enters the change under its id, after all that is pending; one that is there already is returned as it was entered. */
  async enter(tenant: TenantId, id: string, change: AccountChange): Promise<LedgerRow> {
    const known = await this.#store.posted(tenant, id);
    if (known) return known;
    await this.#append(tenant, id, change);
    for (;;) {
      const { rows } = await this.#post(tenant);
      const entry = rows.find(({ _id }) => _id === id) ?? (await this.#store.posted(tenant, id));
      if (entry) return entry;
    }
  }

  /** Posts what was left pending, as by a replica that died. */
  async sweep(): Promise<void> {
    const { clock, log } = this.#options;
    const tenants = await this.#store.tenantsPendingSince(clock.now() - LEFT_AFTER_MS);
    await sideBySide(tenants, TENANTS_AT_ONCE, async (tenant) => {
      try {
        while ((await this.#post(asTenantId(tenant), { adopts: true })).left === 'more');
      } catch (err) {
        log.warn({ tenant_id: tenant, err }, 'pending entries of a ledger were not posted');
      }
    });
  }

  /** Posts what this replica appended and has not posted yet. */
  async flush(): Promise<void> {
    while (this.#postings.size > 0) {
      const postings = [...this.#postings.values()];
      for (const { hurry } of postings) hurry.abort();
      await Promise.all(postings.map(({ done }) => done));
    }
  }

  #append(tenant: TenantId, id: string, change: AccountChange): Promise<void> {
    const at = new Date(this.#options.clock.now());
    return this.#store.append({ _id: id, tenant_id: tenant, at, change });
  }

  #postSoon(tenant: TenantId): void {
    const running = this.#postings.get(tenant);
    if (running) {
      running.isWanted = true;
      return;
    }
    const posting: Posting = { isWanted: true, hurry: new AbortController(), done: Promise.resolve() };
    this.#postings.set(tenant, posting);
    posting.done = this.#keepPosting(tenant, posting);
  }

  /** Posts at once, and again after a pause while something is appended. Never rejects. */
  async #keepPosting(tenant: TenantId, posting: Posting): Promise<void> {
    const { clock, log } = this.#options;
    try {
      while (posting.isWanted) {
        posting.isWanted = false;
        const { left } = await this.#post(tenant);
        posting.isWanted ||= left !== 'nothing';
        await clock.sleep(POST_EVERY_MS, posting.hurry.signal).catch(() => {});
      }
    } catch (err) {
      log.warn({ tenant_id: tenant, err }, 'posting to a ledger broke off: the sweep goes on with it');
    } finally {
      this.#postings.delete(tenant);
    }
  }

  /** Posts the next pending entries, in this process one posting of a tenant after another. */
  async #post(tenant: TenantId, how: { readonly adopts?: boolean } = {}): Promise<Posted> {
    const before = this.#queues.get(tenant) ?? Promise.resolve();
    const mine = before.then(() => this.#postNext(tenant, how));
    const settled = mine.catch(() => {});
    this.#queues.set(tenant, settled);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(tenant) === settled) this.#queues.delete(tenant);
    }
  }

  /** `adopts`: also does what follows from entries that another replica posted, and is not known to have done it for. */
  async #postNext(tenant: TenantId, { adopts = false }: { readonly adopts?: boolean }): Promise<Posted> {
    for (let skipped = 0; ; ) {
      const pending = await this.#store.pendingOf(tenant, skipped, this.#batch);
      if (pending.length === 0) return NOTHING;
      const [last, posted] = await Promise.all([
        this.#store.last(tenant),
        this.#store.postedAmong(tenant, pending),
      ]);
      const removed = adopts ? await this.#finish(tenant, posted) : 0;
      const ids = new Set(posted.map(({ _id }) => _id));
      const fresh = pending.filter(({ _id }) => !ids.has(_id));
      const isLastPage = pending.length < this.#batch;
      if (fresh.length > 0) {
        const rows = await this.#store.post(tenant, last, fresh);
        if (!rows) return { rows: [], left: 'raced' };
        await this.#finish(tenant, rows);
        return { rows, left: isLastPage ? 'nothing' : 'more' };
      }
      if (isLastPage) return NOTHING;
      skipped += pending.length - removed;
    }
  }

  /** Does what follows from posted entries; where that fails they stay pending. Returns how many are pending no more. */
  async #finish(tenant: TenantId, rows: readonly LedgerRow[]): Promise<number> {
    const done: string[] = [];
    const finish = async (row: LedgerRow) => {
      try {
        await this.#options.onPosted?.(row);
        done.push(row._id);
      } catch (err) {
        this.#options.log.warn(
          { tenant_id: tenant, entry: row._id, err },
          'what follows from an entry failed',
        );
      }
    };
    // Notices are published in the order of the entries.
    for (const row of rows) if (row.notices.length > 0) await finish(row);
    const silent = rows.filter(({ notices }) => notices.length === 0);
    await sideBySide(silent, ENTRIES_AT_ONCE, finish);
    await this.#store.remove(tenant, done);
    return done.length;
  }
}
