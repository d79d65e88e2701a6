import { type Connection, Schema } from 'mongoose';

export interface ApiKeyRow {
  _id: string;
  tenant_id: string;
  name: string;
  /** SHA-256 of the key; the key itself is nowhere. */
  key_hash: string;
  key_prefix: string;
  sandbox: boolean;
  /** The user who made it, for whom it speaks; keys made by a key have its user. Null in keys from before. */
  created_by?: string | null;
  /** Since when and why somebody should look whether the key is still wanted; it works all the same. */
  review?: { readonly reason: 'creator_deleted'; readonly since: Date } | null;
  created_at: Date;
}

const apiKeySchema = new Schema<ApiKeyRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    name: { type: String, required: true },
    key_hash: { type: String, required: true },
    key_prefix: { type: String, required: true },
    sandbox: { type: Boolean, required: true },
    created_by: { type: String, default: null },
    review: { type: new Schema({ reason: String, since: Date }, { _id: false }), default: null },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'api_keys' },
);
apiKeySchema.index({ key_hash: 1 }, { unique: true });
apiKeySchema.index({ tenant_id: 1, sandbox: 1, created_at: -1, _id: -1 });
apiKeySchema.index({ created_by: 1 });

export function apiKeyModel(store: Connection) {
  return store.model<ApiKeyRow>('ApiKey', apiKeySchema);
}
