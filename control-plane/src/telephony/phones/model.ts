import { type Connection, type Model, Schema } from 'mongoose';
import { ATTESTATIONS, type Attestation, CARRIER_NAMES, type CarrierName } from '../carriers/port.js';

export const PHONE_PROVIDERS = CARRIER_NAMES;
export type PhoneProvider = CarrierName;

export { ATTESTATIONS, type Attestation };

/** Who has said what the attestation of a number is. `inbound`: the signalling of a call that came from it. */
export const ATTESTATION_SOURCES = ['purchase', 'carrier', 'inbound', 'operator'] as const;
type AttestationSource = (typeof ATTESTATION_SOURCES)[number];

/** `sandbox` is the caller id that every tenant has for test calls. */
export const PHONE_SOURCES = ['purchased', 'imported', 'sandbox'] as const;
type PhoneSource = (typeof PHONE_SOURCES)[number];

/** `buying` and `releasing`: the carrier has been asked, and what it did may not be known yet. */
type PhoneState = 'buying' | 'active' | 'releasing';

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
  /** Null: unknown. */
  attestation: Attestation | null;
  /** Absent in numbers from before it was kept. */
  attestation_source?: AttestationSource | null;
  created_at: Date;
  source: PhoneSource;
  state: PhoneState;
  /** Of the last change of the state, or the last look at one that is open. */
  moved_at: Date;
  /** When the carrier said that it has the order and completes it later. */
  ordered_at?: Date;
  sandbox: boolean;
  /** Unique: `soleClaim` of a bought number, else `sharedClaim`. */
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
    attestation: { type: String, enum: [...ATTESTATIONS, null], default: null },
    attestation_source: { type: String, enum: [...ATTESTATION_SOURCES, null], default: null },
    created_at: { type: Date, required: true },
    source: { type: String, enum: [...PHONE_SOURCES], default: 'imported' },
    state: { type: String, enum: ['buying', 'active', 'releasing'], default: 'active' },
    moved_at: { type: Date, default: () => new Date(0) },
    ordered_at: Date,
    sandbox: { type: Boolean, default: false },
    claim: { type: String },
    carrier_number_id: { type: String, default: null },
  },
  { versionKey: false, strict: 'throw' },
);
phoneNumberSchema.index({ tenant_id: 1, number: 1, sandbox: 1 }, { unique: true });
phoneNumberSchema.index({ claim: 1 }, { unique: true, sparse: true });
phoneNumberSchema.index({ number: 1, provider: 1 });
phoneNumberSchema.index({ state: 1, moved_at: 1 });

interface Claimed {
  readonly number: string;
  readonly sandbox: boolean;
}

/** Returns the claim of a bought number: nobody else has it. What the simulated carrier sells blocks no real number. */
export function soleClaim({ number, sandbox }: Claimed): string {
  return sandbox ? `sandbox:${number}` : number;
}

/** Returns the claim of a number that other tenants may have too; one tenant may bring it along in either mode. */
export function sharedClaim(tenant: string, claimed: Claimed): string {
  return `${tenant}:${soleClaim(claimed)}`;
}

/** Finds numbers that are neither being bought nor given up; those from before there were states have none. */
export const IN_USE = { state: { $nin: ['buying' as const, 'releasing' as const] } };

export function phoneNumberModel(connection: Connection): PhoneNumberModel {
  return connection.model<PhoneNumberDocument>('PhoneNumber', phoneNumberSchema, 'phone_numbers');
}
