import { type Connection, Schema } from 'mongoose';

/** A tenant's keys at vendors, all in one document: what a call needs of them is one read by id. */
export interface VendorKeysRow {
  /** The tenant's id. */
  _id: string;
  tenant_id: string;
  /** Sealed JSON of the keys by vendor. */
  keys: string;
  /** JSON text of the `VendorKeysRecord`: which keys there are and who changed what, never the keys. */
  record: string;
  /** Counts the changes, so that two at the same time do not undo each other. */
  revision: number;
  updated_at: Date;
}

const vendorKeysSchema = new Schema<VendorKeysRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    keys: { type: String, required: true },
    record: { type: String, required: true },
    revision: { type: Number, required: true },
    updated_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'vendor_keys' },
);

export function vendorKeysModel(store: Connection) {
  return store.model<VendorKeysRow>('VendorKeys', vendorKeysSchema);
}
