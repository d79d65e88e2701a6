import { type Connection, type Model, Schema } from 'mongoose';

export const VERIFICATION_CHANNELS = ['sms', 'voice'] as const;
export type VerificationChannel = (typeof VERIFICATION_CHANNELS)[number];

/** The open verification of one number by one tenant. */
export interface VerificationRow {
  /** `<tenant>:<sandbox or live>:<number>` */
  _id: string;
  tenant_id: string;
  /** Keyed hash of the code: six digits would be found by trying, without the key. */
  code_hash: string;
  /** Codes tried against this one. */
  attempts: number;
  expires_at: Date;
  /** When the codes of the last hour were sent. */
  sent_at: Date[];
  /** When nothing of the row counts any more. */
  forget_at: Date;
}

export type VerificationModel = Model<VerificationRow>;

const verificationSchema = new Schema<VerificationRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    code_hash: { type: String, required: true },
    attempts: { type: Number, required: true },
    expires_at: { type: Date, required: true },
    sent_at: { type: [Date], required: true },
    forget_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, strict: 'throw', collection: 'verifications' },
);
verificationSchema.index({ forget_at: 1 }, { expireAfterSeconds: 0 });

export function verificationModel(store: Connection): VerificationModel {
  return store.model<VerificationRow>('Verification', verificationSchema);
}
