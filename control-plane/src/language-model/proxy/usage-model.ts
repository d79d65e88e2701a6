import { type Connection, type Model, Schema } from 'mongoose';

/** What a call used of the proxied language model. */
export interface ProxiedUsageRow {
  /** The call's id. */
  _id: string;
  tenant_id: string;
  requests: number;
  input_tokens: number;
  output_tokens: number;
  /** Answers that were broken off before the model said what they cost; their tokens are estimated. */
  estimated: number;
  updated_at: Date;
}

export type ProxiedUsageModel = Model<ProxiedUsageRow>;

const count = { type: Number, default: 0 };
const usageSchema = new Schema<ProxiedUsageRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    requests: count,
    input_tokens: count,
    output_tokens: count,
    estimated: count,
    updated_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);

export function proxiedUsageModel(store: Connection): ProxiedUsageModel {
  return store.model<ProxiedUsageRow>('ProxiedUsage', usageSchema, 'llm_proxy_usage');
}
