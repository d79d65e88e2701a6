import { type Connection, type Model, Schema } from 'mongoose';
import { ROLES, type Role } from '../../platform/http/roles.js';

/** A person, and member of a tenant: of the identity provider, invited by link, or the local owner of the tenant. */
export interface UserRow {
  _id: string;
  tenant_id: string;
  /** The identity provider's id of the person, a session's `sub`; `local/…` for who has no account there. */
  external_id: string;
  email: string | null;
  name: string | null;
  /** Absent in those from before there were roles, who may do everything. */
  role?: Role;
  /** To a few minutes; null or absent for who was never signed in. */
  last_seen_at?: Date | null;
  /** Numbers that the person has shown to be theirs. */
  verified_numbers: string[];
  /** When the person was removed, or the identity provider said that they are gone; null or absent for all others. */
  deleted_at?: Date | null;
  created_at: Date;
}

export type UserModel = Model<UserRow>;

const userSchema = new Schema<UserRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    external_id: { type: String, required: true },
    email: { type: String, default: null },
    name: { type: String, default: null },
    role: { type: String, enum: [...ROLES] },
    last_seen_at: { type: Date, default: null },
    verified_numbers: { type: [String], default: [] },
    deleted_at: { type: Date, default: null },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, strict: 'throw', collection: 'users' },
);
userSchema.index({ external_id: 1 }, { unique: true });
userSchema.index({ tenant_id: 1, created_at: -1, _id: -1 });

/** People whom the identity provider deleted, also those of whom nothing else was ever stored. */
export interface DeletedPersonRow {
  /** The identity provider's id of the person. */
  _id: string;
  deleted_at: Date;
}

const deletedPersonSchema = new Schema<DeletedPersonRow>(
  { _id: { type: String, required: true }, deleted_at: { type: Date, required: true } },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'deleted_people' },
);

export function deletedPersonModel(store: Connection): Model<DeletedPersonRow> {
  return store.model<DeletedPersonRow>('DeletedPerson', deletedPersonSchema);
}

export function userModel(store: Connection): UserModel {
  return store.model<UserRow>('User', userSchema);
}
