import type { Clock } from '@voice/shared/clock/clock';
import { newId, type TenantId } from '@voice/shared/ids/ids';
import { type Connection, Schema } from 'mongoose';
import { apiError } from './error-codes.js';
import { isDuplicateKey } from './errors.js';

/** After this long, an import is taken for one whose replica died, in ms: a request may take two minutes to come. */
export const IMPORT_LEASE_MS = 180_000;

interface Lease {
  /** The tenant. */
  _id: string;
  holder: string;
  expires_at: Date;
}

const leaseSchema = new Schema<Lease>(
  {
    _id: String,
    holder: { type: String, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'import_leases' },
);
leaseSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

export interface ImportLeasesOptions {
  readonly store: Connection;
  readonly clock: Clock;
}

/** Lets each tenant import one file at a time, over all replicas: reading one takes a processor. */
export class ImportLeases {
  readonly #leases;
  readonly #clock: Clock;

  constructor({ store, clock }: ImportLeasesOptions) {
    this.#leases = store.model<Lease>('ImportLease', leaseSchema);
    this.#clock = clock;
  }

  /** Runs the import. Throws 409 `import_in_progress` while another of the tenant runs. */
  async run<T>(tenant: TenantId, work: () => Promise<T>): Promise<T> {
    const holder = newId();
    await this.#claim(tenant, holder);
    try {
      return await work();
    } finally {
      await this.#leases.deleteOne({ _id: tenant, holder });
    }
  }

  async #claim(tenant: TenantId, holder: string): Promise<void> {
    const now = this.#clock.now();
    const lease: Lease = { _id: tenant, holder, expires_at: new Date(now + IMPORT_LEASE_MS) };
    try {
      await this.#leases.insertOne(lease);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const { matchedCount } = await this.#leases.replaceOne(
        { _id: tenant, expires_at: { $lte: new Date(now) } },
        lease,
      );
      if (matchedCount === 0) {
        throw apiError('import_in_progress', undefined, { retryable: true, retryAfterSeconds: 2 });
      }
    }
  }
}
