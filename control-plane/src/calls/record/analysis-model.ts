import { type Connection, type Model, Schema } from 'mongoose';
import type { ModelTokens } from '../../language-model/port.js';

export const ANALYSIS_STATUSES = ['complete', 'failed', 'skipped'] as const;
type AnalysisStatus = (typeof ANALYSIS_STATUSES)[number];
export const SENTIMENTS = ['positive', 'neutral', 'negative'] as const;
type Sentiment = (typeof SENTIMENTS)[number];

/** What the analysis of a call came to; one row a call, also where it failed. */
export interface AnalysisRow {
  /** The call's id. */
  _id: string;
  tenant_id: string;
  agent_id: string;
  campaign_id: string | null;
  contact_id: string | null;
  sandbox: boolean;
  /** Of the call, for sorting. */
  started_at: Date;
  duration_seconds: number;
  status: AnalysisStatus;
  outcome: string | null;
  /** 0 to 1. */
  outcome_score: number | null;
  summary: string | null;
  sentiment: Sentiment | null;
  /** JSON: by criterion `{score, reason}`; null where the agent has no scorecard. */
  scorecard: string | null;
  /** JSON object of what was extracted; null where the agent extracts nothing. */
  extracted_data: string | null;
  error_code: string | null;
  error_message: string | null;
  /** The language model that answered; empty where the provider has but one, and for old rows. */
  llm_model?: string;
  input_tokens: number;
  output_tokens: number;
  created_at: Date;
}

export type AnalysisModel = Model<AnalysisRow>;

const text = { type: String, default: null };

const analysisSchema = new Schema<AnalysisRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    agent_id: { type: String, required: true },
    campaign_id: text,
    contact_id: text,
    sandbox: { type: Boolean, required: true },
    started_at: { type: Date, required: true },
    duration_seconds: { type: Number, required: true },
    status: { type: String, enum: [...ANALYSIS_STATUSES], required: true },
    outcome: text,
    outcome_score: { type: Number, default: null },
    summary: text,
    sentiment: text,
    scorecard: text,
    extracted_data: text,
    error_code: text,
    error_message: text,
    llm_model: { type: String, default: '' },
    input_tokens: { type: Number, required: true },
    output_tokens: { type: Number, required: true },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
// A campaign's analysed calls by each order in which they are listed.
analysisSchema.index({ tenant_id: 1, campaign_id: 1, status: 1, started_at: -1 });
analysisSchema.index({ tenant_id: 1, campaign_id: 1, status: 1, outcome_score: -1 });
analysisSchema.index({ tenant_id: 1, campaign_id: 1, status: 1, duration_seconds: -1 });

export function analysisModel(store: Connection): AnalysisModel {
  return store.model<AnalysisRow>('CallAnalysis', analysisSchema, 'call_analyses');
}

/** Returns what an analysis used; null where there was none, or it failed: failures are not charged. */
export function analysisTokens(row: AnalysisRow | null): ModelTokens | null {
  if (row?.status !== 'complete') return null;
  return { model: row.llm_model ?? '', inputTokens: row.input_tokens, outputTokens: row.output_tokens };
}
