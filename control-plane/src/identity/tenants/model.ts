import { type Connection, Schema } from 'mongoose';
import type { RetentionSettings } from './retention-settings.js';

export interface TenantRow {
  _id: string;
  name: string;
  created_at: Date;
  /** ISO 3166-1 alpha-2, as the operator has stated it. */
  country?: string | null;
  /** The label of where its calls are placed first, as the operator has stated it. */
  region?: string | null;
  retention?: RetentionSettings;
  /** When to look for calls that are to be erased by it; null where nothing ever is. */
  retention_due_at?: Date | null;
  /** When to look for calls that are to be archived; absent until it was once. */
  archive_due_at?: Date;
}

const tenantSchema = new Schema<TenantRow>(
  {
    _id: String,
    name: { type: String, required: true },
    created_at: { type: Date, required: true },
    country: String,
    region: String,
    retention: {
      type: new Schema<RetentionSettings>(
        { recordings_days: Number, transcripts_days: Number, calls_days: Number },
        { _id: false },
      ),
    },
    retention_due_at: Date,
    archive_due_at: Date,
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'tenants' },
);
tenantSchema.index({ name: 1 }, { unique: true });
// Tenants that keep something for a time alone; no other is in it.
tenantSchema.index(
  { retention_due_at: 1 },
  { name: 'retention_due', partialFilterExpression: { retention_due_at: { $gte: new Date(0) } } },
);
tenantSchema.index({ archive_due_at: 1 });

export function tenantModel(store: Connection) {
  return store.model<TenantRow>('Tenant', tenantSchema);
}
