import type { Connection } from 'mongoose';
import { Schema } from 'mongoose';
import { scopeName, type TenantScope } from '../platform/store/tenant-scope.js';
import type { RetainedPart } from './retention-parts.js';

/** What goes through a tenant's calls by their age. */
type ByAge = RetainedPart | 'archive';

/** Up to which call a part of a tenant's calls is erased, or archived, in one mode: one row a tenant, mode and part. */
interface ProgressRow {
  /** `<tenant>/<mode>/<part>` */
  _id: string;
  tenant_id: string;
  created_at: Date;
  call_id: string;
}

/** The place of a call among those of its tenant and mode, oldest first. */
interface CallPlace {
  readonly created_at: Date;
  readonly _id: string;
}

const progressSchema = new Schema<ProgressRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    created_at: { type: Date, required: true },
    call_id: { type: String, required: true },
  },
  {
    versionKey: false,
    autoIndex: false,
    autoCreate: false,
    strict: 'throw',
    collection: 'retention_progress',
  },
);

const BEGINNING: CallPlace = { created_at: new Date(0), _id: '' };

/** Remembers how far retention and the archive have come, so that no run reads again what is done. */
export class RetentionProgress {
  readonly #rows;

  constructor(store: Connection) {
    this.#rows = store.model<ProgressRow>('RetentionProgress', progressSchema);
  }

  async of(scope: TenantScope, part: ByAge): Promise<CallPlace> {
    const row = await this.#rows.findOne({ _id: keyOf(scope, part) }).lean<ProgressRow>();
    return row ? { created_at: row.created_at, _id: row.call_id } : BEGINNING;
  }

  async note(scope: TenantScope, part: ByAge, { created_at, _id }: CallPlace): Promise<void> {
    await this.#rows.updateOne(
      { _id: keyOf(scope, part) },
      { $set: { tenant_id: scope.tenant, created_at, call_id: _id } },
      { upsert: true },
    );
  }
}

const keyOf = (scope: TenantScope, part: ByAge) => `${scopeName(scope)}/${part}`;
