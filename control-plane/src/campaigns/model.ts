import { type Connection, type Model, Schema } from 'mongoose';
import { CAMPAIGN_STATUSES, type CampaignStatus } from './campaign-state.js';
import { SETTING_COLUMNS, type StoredCampaignSettings } from './settings.js';

/** A contact that was given a line, until it is marked so in its own document. */
export interface Grant {
  readonly contact_id: string;
  /** The contact's claims before this one: what makes marking it happen once. */
  readonly claims: number;
  readonly attempt: number;
}

/**
 * The field of the last run whose completion was published. Documents and replicas of every version name it so.
 */
export const PUBLISHED_RUN = 'told_run';

/** A campaign as stored. */
export interface CampaignDocument extends StoredCampaignSettings {
  _id: string;
  tenant_id: string;
  /** False until all its contacts are there: nobody sees it before. */
  published: boolean;
  /** Its creation was given up; it is being swept and can never be published. */
  abandoned: boolean;
  sandbox: boolean;
  status: CampaignStatus;
  total_contacts: number;

  /** Whether the engine has anything to do for it. */
  active: boolean;
  /** Counts the decisions about it; a decision from an old count is refused. */
  revision: number;
  /** Epoch ms, fractional (`engine/pacing.ts`). */
  next_slot_at: number;
  /** The same at the rate of a campaign that is behind; absent before its first slot. */
  next_at_fastest?: number;
  /** Written in the decision itself; the replica that reads them carries them out first (`engine/granting.ts`). */
  granted: Grant[];
  /** Identifies the last decision that gave lines: the replica that made it knows it by this. */
  decision?: string;
  /** The calling hours by which contacts were put off, as JSON text; null or absent where none wait. */
  put_off_by?: string | null;
  /** Why it does not dial although it runs, and until when. */
  waiting_reason: string | null;
  waiting_until: Date | null;
  /** Counts its completions: a contact that is revived begins another run. */
  run: number;
  [PUBLISHED_RUN]: number;

  started_at: Date | null;
  first_dispatch_at: Date | null;
  completed_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export type CampaignModel = Model<CampaignDocument>;

const nullableDate = { type: Date, default: null };
const nullableString = { type: String, default: null };

const campaignSchema = new Schema<CampaignDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    published: { type: Boolean, required: true },
    abandoned: { type: Boolean, required: true },
    ...SETTING_COLUMNS,
    sandbox: { type: Boolean, required: true },
    status: { type: String, enum: [...CAMPAIGN_STATUSES], required: true },
    total_contacts: { type: Number, required: true },
    active: { type: Boolean, required: true },
    revision: { type: Number, required: true },
    next_slot_at: { type: Number, required: true },
    next_at_fastest: Number,
    granted: {
      type: [new Schema<Grant>({ contact_id: String, claims: Number, attempt: Number }, { _id: false })],
      default: [],
    },
    decision: String,
    put_off_by: nullableString,
    waiting_reason: nullableString,
    waiting_until: nullableDate,
    run: { type: Number, required: true },
    [PUBLISHED_RUN]: { type: Number, required: true },
    started_at: nullableDate,
    first_dispatch_at: nullableDate,
    completed_at: nullableDate,
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
campaignSchema.index({ tenant_id: 1, sandbox: 1, published: 1, created_at: -1, _id: -1 });
campaignSchema.index({ tenant_id: 1, sandbox: 1, published: 1, status: 1, created_at: -1, _id: -1 });
campaignSchema.index({ active: 1 });
campaignSchema.index({ published: 1, created_at: 1 });

export function campaignModel(connection: Connection): CampaignModel {
  return connection.model<CampaignDocument>('Campaign', campaignSchema, 'campaigns');
}
