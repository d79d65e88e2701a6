import { type Connection, type Model, Schema } from 'mongoose';

/** A call's transcript as it was at the end of its post-call work: whole, in order, and never rewritten. */
export interface TranscriptRow {
  /** The call's id. */
  _id: string;
  tenant_id: string;
  agent_id: string;
  campaign_id: string | null;
  turns_count: number;
  /** JSON of the turns. */
  turns: string;
  created_at: Date;
}

export type TranscriptModel = Model<TranscriptRow>;

const transcriptSchema = new Schema<TranscriptRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    agent_id: { type: String, required: true },
    campaign_id: { type: String, default: null },
    turns_count: { type: Number, required: true },
    turns: { type: String, required: true },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
transcriptSchema.index({ tenant_id: 1, campaign_id: 1, created_at: -1 });

export function transcriptModel(store: Connection): TranscriptModel {
  return store.model<TranscriptRow>('Transcript', transcriptSchema, 'transcripts');
}
