import { type Connection, type Model, Schema } from 'mongoose';
import type { StoredTurnStages } from '../calls/turn-stages.js';
import type { CallCost } from '../platform/money/call-cost.js';
import type { MicroDollars } from '../platform/money/micro-dollars.js';
import { DUE_TO_METER, METER_FIELDS, type MeteredRow } from './metered-row.js';
import { REALTIME_COUNTS, type RealtimeTotals } from './used-segments.js';

/** What a call used and cost: written once at its end, in the order of its services. */
export interface UsageRow extends MeteredRow {
  /** The call's id; derived from the session's for a turn of a test session in text. */
  _id: string;
  tenant_id: string;
  sandbox: boolean;
  /** When the call ended; the day it counts for, in UTC. */
  ended_at: Date;
  /** Of a test session: charged as a call is, and not counted among the calls. */
  test_session?: boolean;
  /** As everywhere (`calls/record/answered.ts`). */
  answered: boolean;
  duration_ms: number;
  carrier_minutes: number;
  stt_audio_ms: number;
  llm_input_tokens: number;
  llm_output_tokens: number;
  tts_characters: number;
  /** Of speech-to-speech models; absent in records from before there were any. */
  realtime?: RealtimeTotals;
  /** In micro-dollars. */
  cost: CallCost;
  total: MicroDollars;
  /** Of the agent's turns, in ms: for the percentiles of many calls. */
  response_latencies_ms: number[];
  /** Of the first of them, by stage: for the estimate of an agent. Absent in records from before they were kept. */
  turn_stages?: StoredTurnStages[];
  /** What time it is billed as of, where that is not the call's end: no earlier than when the customer came. */
  meter_at?: Date;
  /** The batch that added it to the sums of its day; absent until then. */
  rollup_seq?: number;
}

export type UsageModel = Model<UsageRow>;

/** Of a record that was not reported to the payment provider yet. */
export const NOT_METERED = {
  meter_state: 'none',
  meter_value: 0,
  meter_attempts: 0,
  meter_due_at: null,
} as const satisfies Partial<UsageRow>;

const number = { type: Number, required: true };
const usageSchema = new Schema<UsageRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    sandbox: { type: Boolean, required: true },
    ended_at: { type: Date, required: true },
    test_session: Boolean,
    answered: { type: Boolean, required: true },
    duration_ms: number,
    carrier_minutes: number,
    stt_audio_ms: number,
    llm_input_tokens: number,
    llm_output_tokens: number,
    tts_characters: number,
    realtime: {
      type: new Schema<RealtimeTotals>(Object.fromEntries(REALTIME_COUNTS.map((name) => [name, number])), {
        _id: false,
      }),
    },
    cost: {
      type: new Schema<CallCost>(
        { stt: number, llm: number, tts: number, carrier: number, service: number, wasted: Number },
        { _id: false },
      ),
      required: true,
    },
    total: number,
    response_latencies_ms: { type: [Number], required: true },
    turn_stages: { type: [[Number]], default: undefined },
    ...METER_FIELDS,
    meter_at: Date,
    rollup_seq: Number,
  },
  { versionKey: false, strict: 'throw' },
);
usageSchema.index({ tenant_id: 1, sandbox: 1, ended_at: -1 });
usageSchema.index(...DUE_TO_METER);
// What is not in the sums yet: nothing else is in it.
usageSchema.index({ tenant_id: 1, sandbox: 1 }, { partialFilterExpression: { rollup_seq: null } });

export function usageModel(store: Connection): UsageModel {
  return store.model<UsageRow>('Usage', usageSchema, 'usage_records');
}
