import { type Connection, type Model, Schema } from 'mongoose';

export const PHONE_PROVIDERS = ['twilio', 'telnyx', 'simulated'] as const;
export type PhoneProvider = (typeof PHONE_PROVIDERS)[number];

/** STIR/SHAKEN attestation: how sure the carrier is that the caller may use the number (ATIS-1000074). */
export type Attestation = 'A' | 'B' | 'C';

/** `sandbox` is the caller id that every tenant has for test calls. */
export const PHONE_SOURCES = ['purchased', 'imported', 'sandbox'] as const;
export type PhoneSource = (typeof PHONE_SOURCES)[number];

/** `buying` and `releasing`: the carrier has been asked, and what it did may not be known yet. */
export type PhoneState = 'buying' | 'active' | 'releasing';

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
  source: PhoneSource;
  state: PhoneState;
  /** Of the last change of the state. */
  moved_at: Date;
  sandbox: boolean;
  /** The number itself where it is this row's alone (bought), else bound to the tenant: unique. */
  claim: string;
  /** The carrier's id of a bought number. */
  carrier_number_id: string | null;
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
    source: { type: String, enum: [...PHONE_SOURCES], default: 'imported' },
    state: { type: String, enum: ['buying', 'active', 'releasing'], default: 'active' },
    moved_at: { type: Date, default: () => new Date(0) },
    sandbox: { type: Boolean, default: false },
    claim: { type: String },
    carrier_number_id: { type: String, default: null },
  },
  { versionKey: false, strict: 'throw' },
);
phoneNumberSchema.index({ tenant_id: 1, number: 1 }, { unique: true });

phoneNumberSchema.index({ claim: 1 }, { unique: true, sparse: true });
phoneNumberSchema.index({ number: 1, provider: 1 });
phoneNumberSchema.index({ state: 1, moved_at: 1 });

/** The claim of a number that others may have too. */
export function sharedClaim(tenant: string, number: string): string {
  return `${tenant}:${number}`;
}

export function phoneNumberModel(connection: Connection): PhoneNumberModel {
  return connection.model<PhoneNumberDocument>('PhoneNumber', phoneNumberSchema, 'phone_numbers');
}
