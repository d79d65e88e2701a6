import { type Connection, type Model, Schema } from 'mongoose';

/** The insights that were generated last for a campaign. */
export interface InsightsRow {
  /** The campaign's id. */
  _id: string;
  tenant_id: string;
  /** JSON list. */
  insights: string;
  analyses: number;
  generated_at: Date;
}

export type InsightsModel = Model<InsightsRow>;

const insightsSchema = new Schema<InsightsRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    insights: { type: String, required: true },
    analyses: { type: Number, required: true },
    generated_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);

export function insightsModel(store: Connection): InsightsModel {
  return store.model<InsightsRow>('CampaignInsights', insightsSchema, 'campaign_insights');
}
