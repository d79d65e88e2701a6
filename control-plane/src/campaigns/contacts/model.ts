import { type Connection, type Model, Schema } from 'mongoose';
import type { TenantKey } from '../../platform/store/tenant-scope.js';
import { CONTACT_STATUSES, type ContactStatus } from '../campaign-state.js';

/** Which due contacts come first. */
export const CONTACT_RANK = {
  /** Somebody waits for it: a retry, a rescheduled contact, one whose hours were closed. */
  again: 0,
  fresh: 1,
} as const;

/** A campaign's contact as stored. */
export interface ContactDocument {
  _id: string;
  tenant_id: string;
  campaign_id: string;
  /** Its place in the list as it was given. */
  position: number;
  phone: string;
  first_name: string | null;
  last_name: string | null;
  /** JSON object. */
  contact_data: string;
  status: ContactStatus;
  /**
   * Whether a line is taken for it. Not the same as its status: one that is rescheduled during a call
   * is pending, and still on the line.
   */
  on_line: boolean;
  /** How often it was given a line. Never goes back. */
  claims: number;
  /** The decision by which it has its line, or had its last; absent where another replica carried that out. */
  claimed_by?: string;
  /** Calls that were made, or are being made. */
  attempts: number;
  /** How many of them ended before anything was dialed: the retry policy does not count them. Never goes back. */
  not_dialed?: number;
  /** The call it is on, or was on last. */
  call_id: string | null;
  /** Those of its calls that were erased while another could follow: where none does, it goes with its last. */
  erased_calls?: string[];
  rank: number;
  /** From when it may be dialed. */
  due_at: Date;
  /** The same, where it was promised to the tenant. */
  next_retry_at: Date | null;
  /** Whether it is due later only because its hours were closed. */
  waits_for_hours?: boolean;
  /** How often its call could not be made by a fault of ours. */
  failures?: number;
  last_outcome: string | null;
  /** Why it was skipped. */
  skip_reason: string | null;
  created_at: Date;
  updated_at: Date;
}

export type ContactModel = Model<ContactDocument>;

/** Returns the part of a filter that says of which campaign contacts are: by their tenant their shard is known. */
export function contactsOf({
  _id,
  tenant_id,
}: TenantKey): Pick<ContactDocument, 'campaign_id' | 'tenant_id'> {
  return { campaign_id: _id, tenant_id };
}

const nullableString = { type: String, default: null };

const contactSchema = new Schema<ContactDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    campaign_id: { type: String, required: true },
    position: { type: Number, required: true },
    phone: { type: String, required: true },
    first_name: nullableString,
    last_name: nullableString,
    contact_data: { type: String, required: true },
    status: { type: String, enum: [...CONTACT_STATUSES], required: true },
    on_line: { type: Boolean, required: true },
    claims: { type: Number, required: true },
    claimed_by: String,
    attempts: { type: Number, required: true },
    not_dialed: Number,
    call_id: nullableString,
    erased_calls: { type: [String], default: undefined },
    rank: { type: Number, required: true },
    due_at: { type: Date, required: true },
    next_retry_at: { type: Date, default: null },
    waits_for_hours: Boolean,
    failures: Number,
    last_outcome: nullableString,
    skip_reason: nullableString,
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
contactSchema.index({ campaign_id: 1, position: 1 });
contactSchema.index({ campaign_id: 1, status: 1, position: 1 });
// What the engine asks: who is on the line, and who is due.
contactSchema.index({ campaign_id: 1, on_line: 1, status: 1, rank: 1, due_at: 1, position: 1 });
// Who of a tenant is on the line, by number.
contactSchema.index({ tenant_id: 1, phone: 1 }, { partialFilterExpression: { on_line: true } });

export function contactModel(connection: Connection): ContactModel {
  return connection.model<ContactDocument>('CampaignContact', contactSchema, 'campaign_contacts');
}
