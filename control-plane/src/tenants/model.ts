import { type Connection, Schema } from 'mongoose';

export interface TenantRow {
  _id: string;
  name: string;
  created_at: Date;
}

const tenantSchema = new Schema<TenantRow>(
  { _id: String, name: { type: String, required: true }, created_at: { type: Date, required: true } },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'tenants' },
);
tenantSchema.index({ name: 1 }, { unique: true });

export function tenantModel(store: Connection) {
  return store.model<TenantRow>('Tenant', tenantSchema);
}
