import { type Connection, Schema } from 'mongoose';

export interface TenantRow {
  _id: string;
  name: string;
  created_at: Date;
  /** ISO 3166-1 alpha-2, as the operator has stated it. */
  country?: string | null;
  /** The label of where its calls are placed first, as the operator has stated it. */
  region?: string | null;
}

const tenantSchema = new Schema<TenantRow>(
  {
    _id: String,
    name: { type: String, required: true },
    created_at: { type: Date, required: true },
    country: String,
    region: String,
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'tenants' },
);
tenantSchema.index({ name: 1 }, { unique: true });

export function tenantModel(store: Connection) {
  return store.model<TenantRow>('Tenant', tenantSchema);
}
