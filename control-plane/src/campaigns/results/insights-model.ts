import { type Connection, type Model, Schema } from 'mongoose';
import type { InsightsSource } from './schemas.js';

/** The insights that were generated last for a campaign. */
export interface InsightsRow {
  /** The campaign's id. */
  _id: string;
  tenant_id: string;
  /** JSON list. */
  insights: string;
  /** Absent in rows that are older than it. */
  source?: InsightsSource;
  analyses: number;
  generated_at: Date;
}

export type InsightsModel = Model<InsightsRow>;

const insightsSchema = new Schema<InsightsRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    insights: { type: String, required: true },
    source: String,
    analyses: { type: Number, required: true },
    generated_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);

export function insightsModel(store: Connection): InsightsModel {
  return store.model<InsightsRow>('CampaignInsights', insightsSchema, 'campaign_insights');
}
