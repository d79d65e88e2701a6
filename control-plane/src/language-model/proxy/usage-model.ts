import { type Connection, type Model, Schema } from 'mongoose';
import { ReadsByKey } from '../../platform/store/reads-by-key.js';
import type { ModelTokens } from '../port.js';
import type { MeteredUsage } from './usage-meter.js';

/** What a call used of one proxied language model. */
export interface ProxiedUsageRow {
  /** `<call id> <model>` */
  _id: string;
  tenant_id: string;
  call_id: string;
  model: string;
  requests: number;
  /** As the model said. */
  input_tokens: number;
  output_tokens: number;
  /** Answers that were broken off before the model said what they cost; their tokens are estimates. */
  estimated: number;
  estimated_input_tokens: number;
  estimated_output_tokens: number;
  updated_at: Date;
}

export type ProxiedUsageModel = Model<ProxiedUsageRow>;

/**
 * How long a call's usage is kept after its last request, in s: it is charged when the call is over, which a worker
 * that was away may say days later. What was charged is in the call's usage record.
 */
const KEPT_SECONDS = 32 * 24 * 60 * 60;

const text = { type: String, required: true };
const count = { type: Number, default: 0 };
const usageSchema = new Schema<ProxiedUsageRow>(
  {
    _id: text,
    tenant_id: text,
    call_id: text,
    model: text,
    requests: count,
    input_tokens: count,
    output_tokens: count,
    estimated: count,
    estimated_input_tokens: count,
    estimated_output_tokens: count,
    updated_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
usageSchema.index({ call_id: 1 });
usageSchema.index({ updated_at: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export function proxiedUsageModel(store: Connection): ProxiedUsageModel {
  return store.model<ProxiedUsageRow>('ProxiedUsage', usageSchema, 'llm_proxy_usage');
}

/** What was used of the proxied models, by call and model. */
export class ProxiedUsage {
  readonly #rows: ProxiedUsageModel;
  readonly #ofCalls: ReadsByKey<ProxiedUsageRow, 'call_id'>;

  constructor(rows: ProxiedUsageModel) {
    this.#rows = rows;
    this.#ofCalls = new ReadsByKey({ model: rows, key: 'call_id' });
  }

  async count(
    { callId, tenantId, model }: { callId: string; tenantId: string; model: string },
    { inputTokens, outputTokens, estimated }: MeteredUsage,
    now: Date,
  ): Promise<void> {
    await this.#rows.updateOne(
      { _id: `${callId} ${model}`, tenant_id: tenantId },
      {
        $inc: {
          requests: 1,
          ...(estimated
            ? { estimated: 1, estimated_input_tokens: inputTokens, estimated_output_tokens: outputTokens }
            : { input_tokens: inputTokens, output_tokens: outputTokens }),
        },
        $set: { updated_at: now },
        $setOnInsert: { call_id: callId, model },
      },
      { upsert: true },
    );
  }

  /** Returns what the models themselves said that the call used: estimates are nothing to charge. */
  async of(call: { readonly _id: string; readonly tenant_id: string }): Promise<ModelTokens[]> {
    const rows = await this.#ofCalls.get(call.tenant_id, call._id);
    return rows.map(({ model, input_tokens, output_tokens }) => ({
      model,
      inputTokens: input_tokens,
      outputTokens: output_tokens,
    }));
  }
}
