import { type Connection, type Model, Schema } from 'mongoose';
import type { AccountChange } from './account-state.js';

/** A change of a tenant's account that counts, and that is not posted to the ledger yet, or was a moment ago. */
export interface PendingEntryRow {
  /** That of its entry in the ledger: it names what happened. */
  _id: string;
  tenant_id: string;
  /** When it was appended, by the clock of its replica. */
  at: Date;
  change: AccountChange;
}

export type PendingEntryModel = Model<PendingEntryRow>;

const pendingSchema = new Schema<PendingEntryRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    at: { type: Date, required: true },
    change: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
// A tenant's, in the order in which they are posted; what is left over, of all.
pendingSchema.index({ tenant_id: 1, at: 1, _id: 1 });
pendingSchema.index({ at: 1 });

export function pendingEntryModel(store: Connection): PendingEntryModel {
  return store.model<PendingEntryRow>('PendingLedgerEntry', pendingSchema, 'billing_pending_entries');
}
