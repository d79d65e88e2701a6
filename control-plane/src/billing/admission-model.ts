import { type Connection, type Model, Schema } from 'mongoose';

/** One call that was admitted near a limit, from then until its call is stored. */
export interface AdmissionEntry {
  readonly id: string;
  /** By the clock of the replica that stores the call. */
  readonly at: Date;
  /** What a minute of its call is taken to cost, in micro-dollars; absent in entries from before it was kept. */
  readonly hold?: number;
}

/** A tenant's latest admissions, in the order in which they were made. */
export interface AdmissionRow {
  /** The tenant. */
  _id: string;
  entries: AdmissionEntry[];
  updated_at: Date;
}

export type AdmissionModel = Model<AdmissionRow>;

const admissionSchema = new Schema<AdmissionRow>(
  {
    _id: { type: String, required: true },
    entries: {
      type: [new Schema<AdmissionEntry>({ id: String, at: Date, hold: Number }, { _id: false })],
      required: true,
    },
    updated_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
admissionSchema.index({ updated_at: 1 }, { expireAfterSeconds: 3600 });

export function admissionModel(store: Connection): AdmissionModel {
  return store.model<AdmissionRow>('SpendingAdmission', admissionSchema, 'spending_admissions');
}
