import { type Connection, type Model, Schema } from 'mongoose';

/** How a number came onto a tenant's list. */
export const DNC_SOURCES = ['api', 'import', 'opt_out'] as const;
export type DncSource = (typeof DNC_SOURCES)[number];

/** A number that a tenant must not call. */
export interface DncEntryDocument {
  /** Derived from tenant, mode and number: a number is on a list once. */
  _id: string;
  tenant_id: string;
  sandbox: boolean;
  number: string;
  source: DncSource;
  note: string | null;
  /** The call in which the owner asked for it. */
  call_id: string | null;
  /** The owner's words. */
  quote: string | null;
  created_at: Date;
}

export type DncEntryModel = Model<DncEntryDocument>;

const dncEntrySchema = new Schema<DncEntryDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    sandbox: { type: Boolean, required: true },
    number: { type: String, required: true },
    source: { type: String, enum: [...DNC_SOURCES], required: true },
    note: { type: String, default: null },
    call_id: { type: String, default: null },
    quote: { type: String, default: null },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
dncEntrySchema.index({ tenant_id: 1, sandbox: 1, number: 1 }, { unique: true });
dncEntrySchema.index({ tenant_id: 1, sandbox: 1, created_at: -1, _id: -1 });
dncEntrySchema.index({ tenant_id: 1, sandbox: 1, source: 1, created_at: -1, _id: -1 });

export function dncEntryModel(connection: Connection): DncEntryModel {
  return connection.model<DncEntryDocument>('DncEntry', dncEntrySchema, 'dnc_entries');
}

/** A number that nobody on this installation may call, whatever their tenant. */
export interface OperatorDncDocument {
  /** The number. */
  _id: string;
  note: string | null;
  created_at: Date;
}

export type OperatorDncModel = Model<OperatorDncDocument>;

const operatorDncSchema = new Schema<OperatorDncDocument>(
  {
    _id: { type: String, required: true },
    note: { type: String, default: null },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);

export function operatorDncModel(connection: Connection): OperatorDncModel {
  return connection.model<OperatorDncDocument>('OperatorDnc', operatorDncSchema, 'operator_dnc');
}
