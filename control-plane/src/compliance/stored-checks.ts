import { after, type CursorCodec, NEWEST_FIRST, pageOf } from '../platform/http/pagination.js';
import { totalOf } from '../platform/http/totals.js';
import { ScopedCollection } from '../platform/store/tenant-collection.js';
import { scopeName, type TenantScope } from '../platform/store/tenant-scope.js';
import type { ComplianceCheckDocument, ComplianceCheckModel } from './model.js';

/** Which checks are wanted. */
export interface ChecksPage {
  readonly offset: number;
  readonly limit: number;
  readonly cursor?: string;
  readonly decision?: ComplianceCheckDocument['decision'];
  /** Why it was denied: what is allowed has no reason. */
  readonly reason?: string;
  readonly to_number?: string;
  readonly include_total?: boolean;
}

interface StoredChecksOptions {
  readonly checks: ComplianceCheckModel;
  readonly cursors: Pick<CursorCodec, 'encode' | 'decode'>;
}

/** What the gate decided so far, to be looked through. */
export class StoredChecks {
  readonly #checks: ScopedCollection<ComplianceCheckDocument>;
  readonly #options: StoredChecksOptions;

  constructor(options: StoredChecksOptions) {
    this.#options = options;
    this.#checks = new ScopedCollection(options.checks);
  }

  async list(scope: TenantScope, page: ChecksPage) {
    const list = `compliance-checks/${scopeName(scope)}`;
    const decision = page.reason === undefined ? page.decision : 'denied';
    const filter = {
      ...(decision === undefined ? {} : { decision }),
      ...(page.reason === undefined ? {} : { reasons: page.reason }),
      ...(page.to_number === undefined ? {} : { to_number: page.to_number }),
    };
    const place = page.cursor === undefined ? undefined : this.#options.cursors.decode(list, page.cursor);
    const [rows, total] = await Promise.all([
      this.#checks.findPage(
        scope,
        { ...filter, ...(place ? after(place) : {}) },
        { sort: NEWEST_FIRST, skip: place ? 0 : page.offset, limit: page.limit + 1 },
      ),
      totalOf(page.include_total === true, (limit) => this.#checks.count(scope, filter, limit)),
    ]);
    return {
      ...total,
      ...pageOf(rows, page.limit, (position) => this.#options.cursors.encode(list, position)),
    };
  }
}
