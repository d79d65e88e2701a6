import { asTenantId } from '@voice/shared/ids/ids';
import { envelopeJsonSchema, envelopeOf } from './envelope.js';
import { EVENT_TYPES, type EventData, type EventType } from './event-types.js';

const call = {
  call_id: '0198f0c4-6d3e-7a51-9f0b-3c1d2e4f5a6b',
  agent_id: '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  direction: 'outbound' as const,
  from: '+15005550100',
  to: '+15005550006',
};
const campaign = { campaign_id: '0198f0c5-77aa-7bcd-8123-456789abcdef', total_contacts: 250 };
const agent = { agent_id: call.agent_id };
const tenantId = '0198f0c0-0000-7000-8000-000000000001';
const recordingUrl = `https://example.com/recordings/${call.call_id}.mp3?expires=1767629700000&signature=5f0c`;
/** The time that the address above names. */
const recordingUrlExpiresAt = new Date(1_767_629_700_000).toISOString();

/** An example of each type's data; also what a test sends when it is given no payload. */
const EXAMPLES: { readonly [T in EventType]: EventData<T> } = {
  'call.started': call,
  'call.completed': {
    ...call,
    status: 'COMPLETED',
    duration_ms: 94_200,
    outcome: 'appointment_booked',
    recording_url: recordingUrl,
    recording_url_expires_at: recordingUrlExpiresAt,
    summary: 'The caller booked an appointment for Tuesday at 10.',
    cost_usd: 0.0874,
  },
  'call.failed': {
    ...call,
    status: 'FAILED',
    error_code: 'carrier_failed',
    error_message: 'The carrier refused the call.',
  },
  'call.hangup': { ...call, end_reason: 'caller_hangup' },
  'call.transferred': { ...call, transfer_to: '+15005550199', transfer_type: 'warm' },
  'transcript.ready': {
    ...call,
    turns_count: 14,
    transcript_url: `https://example.com/api/v1/calls/${call.call_id}/detail`,
  },
  'recording.ready': {
    ...call,
    recording_url: recordingUrl,
    recording_url_expires_at: recordingUrlExpiresAt,
    duration_ms: 94_200,
  },
  'analysis.ready': {
    ...call,
    status: 'complete',
    outcome: 'appointment_booked',
    summary: 'The caller booked an appointment for Tuesday at 10.',
    scorecard: { politeness: { score: 5, reason: 'Friendly throughout.' } },
    tool_executions: [{ name: 'book_appointment', ok: true, duration_ms: 312 }],
  },
  'campaign.started': campaign,
  'campaign.completed': { ...campaign, success_count: 180, failure_count: 12, no_answer_count: 58 },
  'campaign.contact.completed': {
    ...campaign,
    contact_id: '0198f0c5-9d10-7e21-8f32-1a2b3c4d5e6f',
    call_id: call.call_id,
    outcome: 'appointment_booked',
    status: 'completed',
  },
  'agent.activated': agent,
  'agent.deactivated': agent,
  'usage.credit_exhausted': { tenant_id: tenantId, last_call_id: call.call_id, in_advance: false },
  'usage.daily_cap_approaching': { spent_usd: 80.5, limit_usd: 100 },
};

export function exampleData<T extends EventType>(type: T): EventData<T> {
  return EXAMPLES[type];
}

export interface CatalogEntry {
  readonly event_type: EventType;
  readonly description: string;
  readonly json_schema: Record<string, unknown>;
  readonly example: Record<string, unknown>;
}

/** Lists every public event type: what it means, the schema of its body, and an example. */
export function eventCatalog(): CatalogEntry[] {
  const types = Object.keys(EVENT_TYPES) as EventType[];
  return types.map((type) => ({
    event_type: type,
    description: EVENT_TYPES[type].description,
    json_schema: envelopeJsonSchema(type),
    example: JSON.parse(
      envelopeOf(
        {
          id: '0198f0c6-0001-7000-8000-00000000e7e7',
          type,
          tenant: asTenantId(tenantId),
          sandbox: false,
          occurredAt: Date.UTC(2026, 0, 5, 15, 45),
        },
        EXAMPLES[type],
      ),
    ) as Record<string, unknown>,
  }));
}
