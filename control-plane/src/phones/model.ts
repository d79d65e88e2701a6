import { type Connection, type Model, Schema } from 'mongoose';

export const PHONE_PROVIDERS = ['twilio', 'simulated'] as const;
export type PhoneProvider = (typeof PHONE_PROVIDERS)[number];

/** STIR/SHAKEN attestation: how sure the carrier is that the caller may use the number (ATIS-1000074). */
export type Attestation = 'A' | 'B' | 'C';

/** A number that a tenant owns or has proved to own. */
export interface PhoneNumberDocument {
  _id: string;
  tenant_id: string;
  number: string;
  /** The carrier that dials with it. */
  provider: PhoneProvider;
  /** Answers the calls to this number. */
  agent_id: string | null;
  caller_id_verified_at: Date | null;
  attestation: Attestation | null;
  created_at: Date;
}

export type PhoneNumberModel = Model<PhoneNumberDocument>;

const phoneNumberSchema = new Schema<PhoneNumberDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    number: { type: String, required: true },
    provider: { type: String, enum: [...PHONE_PROVIDERS], required: true },
    agent_id: { type: String, default: null },
    caller_id_verified_at: { type: Date, default: null },
    attestation: { type: String, enum: ['A', 'B', 'C', null], default: null },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
phoneNumberSchema.index({ tenant_id: 1, number: 1 }, { unique: true });

export function phoneNumberModel(connection: Connection): PhoneNumberModel {
  return connection.model<PhoneNumberDocument>('PhoneNumber', phoneNumberSchema, 'phone_numbers');
}
