import { type Connection, type Model, Schema } from 'mongoose';
import type { AccountChange, AccountNotice, AccountState } from './account-state.js';

/** One entry of a tenant's ledger: what happened, and the account after it. Written once, never changed. */
export interface LedgerRow {
  /** Names what happened: entering it twice is a duplicate key. */
  _id: string;
  tenant_id: string;
  /** 1, 2, 3 … in the tenant's ledger, each once: a decision from an older entry is refused. */
  seq: number;
  at: Date;
  change: AccountChange;
  billable: number;
  notices: AccountNotice[];
  state: AccountState;
}

export type LedgerModel = Model<LedgerRow>;

const object = { type: Schema.Types.Mixed, required: true };
const ledgerSchema = new Schema<LedgerRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    seq: { type: Number, required: true },
    at: { type: Date, required: true },
    change: object,
    billable: { type: Number, required: true },
    notices: { type: [Schema.Types.Mixed], required: true } as never,
    state: object,
  },
  { versionKey: false, strict: 'throw' },
);
ledgerSchema.index({ tenant_id: 1, seq: -1 }, { unique: true });
ledgerSchema.index({ tenant_id: 1, at: -1, seq: -1 });

export function ledgerModel(store: Connection): LedgerModel {
  return store.model<LedgerRow>('LedgerEntry', ledgerSchema, 'billing_ledger');
}
