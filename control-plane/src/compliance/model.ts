import { type Connection, type Model, Schema } from 'mongoose';
import { RECORDING_DIRECTIVES, type RecordingDirective } from './recording-consent.js';

export const CHECK_NAMES = ['dnc', 'calling_hours', 'recording_consent', 'capacity', 'disclosure'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/** `not_evaluated`: there was nothing to judge, for want of an agent. It never counts as passed. */
type CheckOutcome = 'passed' | 'failed' | 'not_evaluated';

export interface CheckResult {
  readonly outcome: CheckOutcome;
  /** A stable code when it failed. */
  readonly reason: string | null;
}

/** A stored run of the gate. Written once; a decision is never edited. */
export interface ComplianceCheckDocument {
  _id: string;
  tenant_id: string;
  sandbox: boolean;
  decision: 'allowed' | 'denied';
  reasons: string[];
  checks: Record<CheckName, CheckResult>;
  /** All that the decision was made from (`GateInputs`), as JSON text. */
  inputs: string;
  from_number: string | null;
  to_number: string;
  agent_id: string | null;
  state: string | null;
  /** The callee's, where it is one for sure. */
  timezone: string | null;
  /** Every zone in which the callee may be. */
  timezones: string[];
  requires_two_party_consent: boolean | null;
  /** What the call's recording must be; null without an agent. */
  recording: RecordingDirective | null;
  /** Outside of calling hours: when they open next. */
  next_open_at: Date | null;
  /**
   * With what it is erased, other than with a call that has its id: the check that its call named, or the contact whose
   * call it refused.
   */
  erased_with?: string;
  created_at: Date;
}

export type ComplianceCheckModel = Model<ComplianceCheckDocument>;

const result = new Schema<CheckResult>(
  {
    outcome: { type: String, enum: ['passed', 'failed', 'not_evaluated'], required: true },
    reason: { type: String, default: null },
  },
  { _id: false },
);

const complianceCheckSchema = new Schema<ComplianceCheckDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    sandbox: { type: Boolean, required: true },
    decision: { type: String, enum: ['allowed', 'denied'], required: true },
    reasons: { type: [String], required: true },
    checks: {
      dnc: { type: result, required: true },
      calling_hours: { type: result, required: true },
      recording_consent: { type: result, required: true },
      capacity: { type: result, required: true },
      disclosure: { type: result, required: true },
    },
    inputs: { type: String, required: true },
    from_number: { type: String, default: null },
    to_number: { type: String, required: true },
    agent_id: { type: String, default: null },
    state: { type: String, default: null },
    timezone: { type: String, default: null },
    timezones: { type: [String], default: [] },
    requires_two_party_consent: { type: Boolean, default: null },
    recording: { type: String, enum: [...RECORDING_DIRECTIVES, null], default: null },
    next_open_at: { type: Date, default: null },
    erased_with: String,
    created_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
const newestFirst = { created_at: -1, _id: -1 } as const;
complianceCheckSchema.index({ tenant_id: 1, sandbox: 1, ...newestFirst });
complianceCheckSchema.index({ tenant_id: 1, sandbox: 1, to_number: 1, ...newestFirst });
// Few are denied: what is allowed costs these nothing.
const denied = { partialFilterExpression: { decision: 'denied' } };
complianceCheckSchema.index({ tenant_id: 1, sandbox: 1, decision: 1, ...newestFirst }, denied);
complianceCheckSchema.index({ tenant_id: 1, sandbox: 1, reasons: 1, ...newestFirst }, denied);
// Few are: most go with their call.
complianceCheckSchema.index(
  { tenant_id: 1, erased_with: 1 },
  { partialFilterExpression: { erased_with: { $exists: true } } },
);

export function complianceCheckModel(connection: Connection): ComplianceCheckModel {
  return connection.model<ComplianceCheckDocument>(
    'ComplianceCheck',
    complianceCheckSchema,
    'compliance_checks',
  );
}
