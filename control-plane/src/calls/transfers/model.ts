import { type Connection, type Model, Schema } from 'mongoose';
import type { TenantKey } from '../../platform/store/tenant-scope.js';

export const TRANSFER_TYPES = ['cold', 'warm'] as const;
export type TransferType = (typeof TRANSFER_TYPES)[number];

/**
 * - `requested`: nobody has asked the carrier for anything.
 * - `calling`: the carrier is asked to ring the human (warm); `ringing`: it does.
 * - `briefing`: the human has answered and hears the briefing (warm).
 * - `handing_over`: the carrier is asked to bring the caller over; from here on the caller may be gone.
 * - `transferred`, `failed`: done.
 */
const TRANSFER_STAGES = [
  'requested',
  'calling',
  'ringing',
  'briefing',
  'handing_over',
  'transferred',
  'failed',
] as const;
export type TransferStage = (typeof TRANSFER_STAGES)[number];

/** One wish to transfer a call, from the wish to its end. Each step is one conditional update of the stage. */
export interface TransferRow {
  _id: string;
  tenant_id: string;
  call_id: string;
  /** Of the agent's tool; null when an operator asked. */
  tool_call_id: string | null;
  destination: string;
  transfer_type: TransferType;
  /** What the human hears first (warm). */
  briefing: string;
  stage: TransferStage;
  /** The human's call at the carrier (warm). */
  leg_id: string | null;
  error_code: string | null;
  /** After it the caller is not brought over any more. */
  deadline_at: Date;
  created_at: Date;
  /** Of the last change of the stage. */
  moved_at: Date;
  /** Whether all that follows from the end was done. */
  settled: boolean;
}

export type TransferModel = Model<TransferRow>;

const transferSchema = new Schema<TransferRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    call_id: { type: String, required: true },
    tool_call_id: { type: String, default: null },
    destination: { type: String, required: true },
    transfer_type: { type: String, enum: [...TRANSFER_TYPES], required: true },
    briefing: { type: String, default: '' },
    stage: { type: String, enum: [...TRANSFER_STAGES], required: true },
    leg_id: { type: String, default: null },
    error_code: { type: String, default: null },
    deadline_at: { type: Date, required: true },
    created_at: { type: Date, required: true },
    moved_at: { type: Date, required: true },
    settled: { type: Boolean, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, strict: 'throw', collection: 'transfers' },
);
transferSchema.index({ settled: 1, moved_at: 1 });
transferSchema.index({ call_id: 1 });

/** Returns what names the call that is transferred. */
export function callOf({ call_id, tenant_id }: TransferRow): TenantKey {
  return { _id: call_id, tenant_id };
}

export function transferModel(store: Connection): TransferModel {
  return store.model<TransferRow>('Transfer', transferSchema);
}
