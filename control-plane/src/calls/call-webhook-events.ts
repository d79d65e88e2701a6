import type { EndReason } from '@voice/shared/contracts/primitives';
import { asTenantId, derivedId } from '@voice/shared/ids/ids';
import type { EventData, EventType } from '../events/event-types.js';
import type { TenantEvent, TenantEvents } from '../events/tenant-events.js';
import type { CallDocument } from './model.js';
import { isTestSession } from './test-sessions.js';

/** Endings of a call in progress that somebody brought about by hanging up. */
const HANGUPS: readonly EndReason[] = ['caller_hangup', 'agent_hangup', 'operator_hangup'];

/** What every event of a call says of it. */
export function callEventBase(call: CallDocument): EventData<'call.started'> {
  return {
    call_id: call._id,
    agent_id: call.agent_id,
    direction: call.direction,
    from: call.from_number,
    to: call.to_number,
  };
}

/** An event of a call; `id` defaults to the one of this type, for events that a call has once. */
export function callWebhookEvent<T extends EventType>(
  call: CallDocument,
  type: T,
  occurredAt: number,
  data: EventData<T>,
  id = derivedId(call._id, `webhook:${type}`),
): TenantEvent<T> {
  return { id, type, tenant: asTenantId(call.tenant_id), sandbox: call.sandbox, occurredAt, data };
}

/** Tells an event of a call; a test session has none. */
export async function emitCallEvent<T extends EventType>(
  events: Pick<TenantEvents, 'emit'>,
  call: CallDocument,
  type: T,
  occurredAt: number,
  data: EventData<T>,
): Promise<void> {
  if (!isTestSession(call)) await events.emit(callWebhookEvent(call, type, occurredAt, data));
}

/**
 * The events that a call's statuses so far amount to, in the order they happened: answered, hung up,
 * completed or failed. Busy, no answer and voicemail have no event of their own. Pure.
 */
export function statusEvents(
  call: CallDocument,
  recordingUrl: string | null,
  costUsd: number | null,
): TenantEvent[] {
  if (isTestSession(call)) return [];
  const base = callEventBase(call);
  const events: TenantEvent[] = [];
  for (const { id, type, at } of call.timeline) {
    const when = at.getTime();
    if (type === 'call.started') events.push(callWebhookEvent(call, 'call.started', when, base, id));
    if (type === 'call.completed') {
      if (call.end_reason && HANGUPS.includes(call.end_reason)) {
        events.push(callWebhookEvent(call, 'call.hangup', when, { ...base, end_reason: call.end_reason }));
      }
      const data = {
        ...base,
        duration_ms: call.duration_ms ?? 0,
        outcome: call.outcome,
        recording_url: recordingUrl,
        summary: call.summary,
        cost_usd: costUsd,
      };
      events.push(callWebhookEvent(call, 'call.completed', when, data, id));
    }
    if (type === 'call.failed') {
      const data = {
        ...base,
        error_code: call.error_code ?? call.end_reason ?? 'failed',
        error_message: call.error_message ?? 'The call failed.',
      };
      events.push(callWebhookEvent(call, 'call.failed', when, data, id));
    }
  }
  return events;
}
