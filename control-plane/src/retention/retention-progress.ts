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
  /** Calls before it that could not be erased. */
  left?: string[];
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
    left: { type: [String], default: undefined },
  },
  {
    versionKey: false,
    autoIndex: false,
    autoCreate: false,
    strict: 'throw',
    collection: 'retention_progress',
  },
);

interface Progress extends CallPlace {
  /** Ids of calls that were passed by: they could not be erased. */
  readonly left: readonly string[];
}

const BEGINNING: Progress = { created_at: new Date(0), _id: '', left: [] };

/** Remembers how far retention and the archive have come, so that no run reads again what is done. */
export class RetentionProgress {
  readonly #rows;

  constructor(store: Connection) {
    this.#rows = store.model<ProgressRow>('RetentionProgress', progressSchema);
  }

  async of(scope: TenantScope, part: ByAge): Promise<Progress> {
    const row = await this.#rows.findOne({ _id: keyOf(scope, part) }).lean<ProgressRow>();
    return row ? { created_at: row.created_at, _id: row.call_id, left: row.left ?? [] } : BEGINNING;
  }

  /** @param left calls up to there that could not be erased, by their ids */
  async note(
    scope: TenantScope,
    part: ByAge,
    { created_at, _id }: CallPlace,
    left: readonly string[] = [],
  ): Promise<void> {
    await this.#rows.updateOne(
      { _id: keyOf(scope, part) },
      {
        $set: { tenant_id: scope.tenant, created_at, call_id: _id },
        ...(left.length > 0 ? { $addToSet: { left: { $each: [...left] } } } : {}),
      },
      { upsert: true },
    );
  }

  /** Notes that calls which were passed by are erased. */
  async madeUp(scope: TenantScope, part: ByAge, calls: readonly string[]): Promise<void> {
    if (calls.length === 0) return;
    await this.#rows.updateOne({ _id: keyOf(scope, part) }, { $pull: { left: { $in: [...calls] } } });
  }
}

const keyOf = (scope: TenantScope, part: ByAge) => `${scopeName(scope)}/${part}`;
