import { type CallCost, presentCost } from '../../platform/money/call-cost.js';
import { toUsd } from '../../platform/money/micro-dollars.js';
import type { CallDocument } from './model.js';
import type { CallResponse } from './schemas.js';

/** The fields of a call that the API shows, and those by which it knows whether it may. */
export const SHOWN_FIELDS = [
  '_id',
  'tenant_id',
  'sandbox',
  'agent_id',
  'agent_version',
  'status',
  'direction',
  'from_number',
  'to_number',
  'recording',
  'transfer_in_progress',
  'carrier',
  'carrier_call_id',
  'campaign_id',
  'contact_id',
  'compliance_check_id',
  'worker_id',
  'answered_by',
  'queued_at',
  'ringing_at',
  'started_at',
  'ended_at',
  'duration_ms',
  'end_reason',
  'outcome',
  'summary',
  'error_code',
  'error_message',
  'cost',
  'metadata',
  'created_at',
  'updated_at',
  'erasing_at',
  'erased_at',
] as const satisfies readonly (keyof CallDocument)[];

/** A call of which no more was read than is shown. */
export type ShownCall = Pick<CallDocument, (typeof SHOWN_FIELDS)[number]>;

const text = (date: Date | null): string | null => date?.toISOString() ?? null;

/** Presents a stored call as the API shows it. `recordingUrl` makes a fresh, short-lived address. */
export function presentCall(call: ShownCall, recordingUrl: (call: ShownCall) => string | null): CallResponse {
  return {
    id: call._id,
    agent_id: call.agent_id,
    agent_version: call.agent_version ?? null,
    status: call.status,
    direction: call.direction,
    from_number: call.from_number || null,
    to_number: call.to_number || null,
    recording_url: recordingUrl(call),
    is_test_call: call.sandbox,
    extra: { transfer_in_progress: call.transfer_in_progress },
    carrier: call.carrier,
    carrier_call_id: call.carrier_call_id,
    campaign_id: call.campaign_id,
    contact_id: call.contact_id,
    compliance_check_id: call.compliance_check_id,
    worker_id: call.worker_id,
    answered_by: call.answered_by,
    queued_at: call.queued_at.toISOString(),
    ringing_at: text(call.ringing_at),
    started_at: text(call.started_at),
    ended_at: text(call.ended_at),
    duration_ms: call.duration_ms,
    end_reason: call.end_reason,
    outcome: call.outcome,
    summary: call.summary,
    error_code: call.error_code,
    error_message: call.error_message,
    cost: call.cost ? presentCallCost(call.cost) : null,
    metadata: JSON.parse(call.metadata) as Record<string, unknown>,
    created_at: call.created_at.toISOString(),
    updated_at: call.updated_at.toISOString(),
    erased_at: text(call.erased_at ?? null),
  };
}

function presentCallCost(cost: CallCost) {
  const wasted = cost.wasted ?? 0;
  return { ...presentCost(cost), ...(wasted > 0 ? { wasted: toUsd(wasted) } : {}), currency: 'usd' as const };
}
