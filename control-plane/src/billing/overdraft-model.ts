import { type Connection, type Model, Schema } from 'mongoose';
import { DUE_TO_METER, METER_FIELDS, type MeteredRow } from './metered-row.js';

/** What a tenant had overdrawn before it had a payment method, to be reported to the payment provider. */
export interface OverdraftRow extends MeteredRow {
  /** That of the ledger's entry that bills it. */
  _id: string;
  /** What time it is billed as of. */
  meter_at: Date;
}

export type OverdraftModel = Model<OverdraftRow>;

const overdraftSchema = new Schema<OverdraftRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    ...METER_FIELDS,
    meter_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
overdraftSchema.index({ tenant_id: 1 });
overdraftSchema.index(...DUE_TO_METER);

export function overdraftModel(store: Connection): OverdraftModel {
  return store.model<OverdraftRow>('Overdraft', overdraftSchema, 'billing_overdrafts');
}
