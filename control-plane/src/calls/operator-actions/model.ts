import { type Connection, type Model, Schema } from 'mongoose';
import type { Actor } from '../../platform/http/actor.js';

export const OPERATOR_ACTIONS = [
  'whisper',
  'nudge',
  'transfer',
  'hangup',
  'pause_recording',
  'resume_recording',
  'erase',
] as const;
export type OperatorActionKind = (typeof OPERATOR_ACTIONS)[number];

/**
 * - `requested`: written before anything leaves; what became of it is not known (yet).
 * - `carried_out`: the worker or the carrier took it.
 * - `failed`: it had no effect; `error_code` says why.
 */
export const ACTION_STATUSES = ['requested', 'carried_out', 'failed'] as const;
type ActionStatus = (typeof ACTION_STATUSES)[number];

/** One row of a call's audit log: who asked for what, and what became of it. */
export interface OperatorActionRow {
  _id: string;
  tenant_id: string;
  call_id: string;
  action: OperatorActionKind;
  api_key_id: string;
  /** Who it was, by name; null or absent where that was not known yet. */
  actor?: Actor | null;
  /** What was asked for, as JSON. */
  details: string;
  status: ActionStatus;
  error_code: string | null;
  created_at: Date;
  completed_at: Date | null;
}

export type OperatorActionModel = Model<OperatorActionRow>;

const operatorActionSchema = new Schema<OperatorActionRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    call_id: { type: String, required: true },
    action: { type: String, enum: [...OPERATOR_ACTIONS], required: true },
    api_key_id: { type: String, required: true },
    actor: { type: new Schema<Actor>({ type: { type: String }, id: String, name: String }, { _id: false }) },
    details: { type: String, required: true },
    status: { type: String, enum: [...ACTION_STATUSES], required: true },
    error_code: { type: String, default: null },
    created_at: { type: Date, required: true },
    completed_at: { type: Date, default: null },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, strict: 'throw', collection: 'operator_actions' },
);
operatorActionSchema.index({ tenant_id: 1, call_id: 1, created_at: -1, _id: -1 });

export function operatorActionModel(store: Connection): OperatorActionModel {
  return store.model<OperatorActionRow>('OperatorAction', operatorActionSchema);
}
