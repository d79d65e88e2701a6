import type { Clock } from '@voice/shared/clock/clock';
import { derivedId } from '@voice/shared/ids/ids';
import { apiError } from '../../platform/http/error-codes.js';
import { after, type CursorCodec, NEWEST_FIRST, pageOf } from '../../platform/http/pagination.js';
import { totalOf } from '../../platform/http/totals.js';
import { insertMissing } from '../../platform/store/insert-missing.js';
import { ReadsById, ReadsByTenantAndId } from '../../platform/store/reads-by-id.js';
import { ScopedCollection } from '../../platform/store/tenant-collection.js';
import { ownedBy, scopeName, type TenantScope } from '../../platform/store/tenant-scope.js';
import { oneSpelling } from '../../telephony/phones/normalise-phone.js';
import type {
  DncEntryDocument,
  DncEntryModel,
  DncSource,
  OperatorDncDocument,
  OperatorDncModel,
} from './model.js';

/** Numbers put on a list by one write. */
const BATCH = 1000;

/** Why a number goes onto a tenant's list. */
export interface DncReason {
  readonly source: DncSource;
  readonly note?: string | null;
  readonly callId?: string;
  readonly quote?: string;
}

interface DncPage {
  readonly offset: number;
  readonly limit: number;
  readonly cursor?: string;
  readonly phone_number?: string;
  readonly source?: DncSource;
  readonly include_total?: boolean;
}

interface DncRegistryOptions {
  readonly entries: DncEntryModel;
  readonly operator: OperatorDncModel;
  readonly clock: Clock;
  readonly cursors: Pick<CursorCodec, 'encode' | 'decode'>;
}

/**
 * The do-not-call registry: a list of each tenant's own in each mode, and the operator's, which binds all. A number is
 * kept and found in one spelling, whichever of them it is dialed in.
 */
export class DncRegistry {
  readonly #options: DncRegistryOptions;
  readonly #owned: ScopedCollection<DncEntryDocument>;
  /** By the id, which is derived from tenant, mode and number. */
  readonly #byNumber: ReadsByTenantAndId<DncEntryDocument>;
  readonly #operatorsByNumber: ReadsById<OperatorDncDocument>;

  constructor(options: DncRegistryOptions) {
    this.#options = options;
    this.#owned = new ScopedCollection(options.entries);
    this.#byNumber = new ReadsByTenantAndId(options.entries);
    this.#operatorsByNumber = new ReadsById(options.operator);
  }

  /** Returns the lists that the number is on. */
  async listedBy(scope: TenantScope, dialed: string): Promise<('tenant' | 'operator')[]> {
    const numbers = spellingsOf(dialed);
    const [own, operators] = await Promise.all([
      Promise.all(numbers.map((number) => this.#byNumber.get(scope.tenant, entryId(scope, number)))),
      Promise.all(numbers.map((number) => this.#operatorsByNumber.get(number))),
    ]);
    return [
      ...(own.some(Boolean) ? (['tenant'] as const) : []),
      ...(operators.some(Boolean) ? (['operator'] as const) : []),
    ];
  }

  /** Puts numbers on the tenant's list and returns how many were not on it before; those keep their entry. */
  async add(scope: TenantScope, numbers: readonly string[], reason: DncReason): Promise<number> {
    const created_at = new Date(this.#options.clock.now());
    let added = 0;
    for (let i = 0; i < numbers.length; i += BATCH) {
      const rows = numbers
        .slice(i, i + BATCH)
        .map(oneSpelling)
        .map((number) => ({
          _id: entryId(scope, number),
          ...ownedBy(scope),
          number,
          source: reason.source,
          note: reason.note ?? null,
          call_id: reason.callId ?? null,
          quote: reason.quote ?? null,
          created_at,
        }));
      added += (await insertMissing(this.#options.entries, rows)).length;
    }
    return added;
  }

  /** Puts one number on the list; the entry that is there already where there is one. */
  async addOne(
    scope: TenantScope,
    number: string,
    reason: DncReason,
  ): Promise<{ entry: DncEntryDocument; added: boolean }> {
    const added = (await this.add(scope, [number], reason)) === 1;
    return { entry: await this.get(scope, entryId(scope, oneSpelling(number))), added };
  }

  async get(scope: TenantScope, id: string): Promise<DncEntryDocument> {
    const entry = await this.#owned.findOne(scope, { _id: id });
    if (!entry) throw apiError('dnc_entry_not_found');
    return entry;
  }

  /** Takes an entry off the tenant's list. Throws `dnc_entry_not_found`. */
  async remove(scope: TenantScope, id: string): Promise<void> {
    if (!(await this.#owned.delete(scope, { _id: id }))) throw apiError('dnc_entry_not_found');
  }

  async list(scope: TenantScope, page: DncPage) {
    const list = `dnc/${scopeName(scope)}`;
    const filter = {
      ...(page.phone_number === undefined ? {} : { number: { $in: spellingsOf(page.phone_number) } }),
      ...(page.source === undefined ? {} : { source: page.source }),
    };
    const place = page.cursor === undefined ? undefined : this.#options.cursors.decode(list, page.cursor);
    const [rows, total] = await Promise.all([
      this.#owned.findPage(
        scope,
        { ...filter, ...(place ? after(place) : {}) },
        { sort: NEWEST_FIRST, skip: place ? 0 : page.offset, limit: page.limit + 1 },
      ),
      totalOf(page.include_total === true, (limit) => this.#owned.count(scope, filter, limit)),
    ]);
    const cut = pageOf(rows, page.limit, (position) => this.#options.cursors.encode(list, position));
    return { ...total, ...cut };
  }

  /** Puts numbers on the operator's list and returns how many were not on it before. */
  async addForAll(numbers: readonly string[], note: string | null): Promise<number> {
    const created_at = new Date(this.#options.clock.now());
    let added = 0;
    for (let i = 0; i < numbers.length; i += BATCH) {
      const rows = numbers
        .slice(i, i + BATCH)
        .map((number) => ({ _id: oneSpelling(number), note, created_at }));
      added += (await insertMissing(this.#options.operator, rows)).length;
    }
    return added;
  }

  /** Takes a number off the operator's list; false when it was not on it. */
  async removeForAll(number: string): Promise<boolean> {
    const { deletedCount } = await this.#options.operator
      .deleteMany({ _id: { $in: spellingsOf(number) } })
      .exec();
    return deletedCount > 0;
  }

  /** Lists the operator's entries by number, from the one after `from`. */
  async listForAll(from: string | undefined, limit: number) {
    const rows = await this.#options.operator
      .find(from === undefined ? {} : { _id: { $gt: from } })
      .sort({ _id: 1 })
      .limit(limit + 1)
      .lean()
      .exec();
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }
}

/** The spelling in which a number is kept, and the one that is given: entries of before were kept as they were written. */
const spellingsOf = (number: string): readonly string[] => [...new Set([oneSpelling(number), number])];

function entryId({ tenant, sandbox }: TenantScope, number: string): string {
  return derivedId(tenant, `${sandbox ? 'sandbox ' : ''}dnc:${number}`);
}
