import type { EndReason } from '@voice/shared/contracts/primitives';
import { asTenantId, derivedId } from '@voice/shared/ids/ids';
import type { EventData, EventType } from '../../webhooks/events/event-types.js';
import type { EventCollector, TenantEvent } from '../../webhooks/events/tenant-events.js';
import { speakersOf } from './call-speakers.js';
import type { CallDocument } from './model.js';
import { isTestSession } from './test-sessions.js';

/** Endings of a call in progress that somebody brought about by hanging up. */
const HANGUPS: readonly EndReason[] = ['caller_hangup', 'agent_hangup', 'operator_hangup'];

const FAILURE_MESSAGE = {
  FAILED: 'The call failed.',
  BUSY: 'The line was busy.',
  NO_ANSWER: 'Nobody answered.',
} as const;

/** Returns what every event of a call says of it. */
export function callEventBase(call: CallDocument): EventData<'call.started'> {
  const agents = speakersOf(call);
  return {
    call_id: call._id,
    agent_id: call.agent_id,
    direction: call.direction,
    from: call.from_number,
    to: call.to_number,
    ...(agents.length > 1 ? { agents } : {}),
  };
}

/** Builds an event of a call; `id` defaults to the one of this type, for events that a call has once. */
export function callWebhookEvent<T extends EventType>(
  call: CallDocument,
  type: T,
  occurredAt: number,
  data: EventData<T>,
  id = derivedId(call._id, `webhook:${type}`),
): TenantEvent<T> {
  return { id, type, tenant: asTenantId(call.tenant_id), sandbox: call.sandbox, occurredAt, data };
}

/** Events that a call has once, whose ids are made of their types. */
const ONCE: readonly EventType[] = ['call.hangup', 'transcript.ready', 'recording.ready', 'analysis.ready'];

/** Returns the ids of all events that may have been published of a call, but for those of its transfers. Pure. */
export function webhookEventIdsOf({ _id, timeline }: Pick<CallDocument, '_id' | 'timeline'>): string[] {
  return [...timeline.map(({ id }) => id), ...ONCE.map((type) => derivedId(_id, `webhook:${type}`))];
}

/** Returns the ids of a call's events that carry what its tools were given and gave. Pure. */
export function eventIdsWithTools({ _id }: Pick<CallDocument, '_id'>): string[] {
  return [derivedId(_id, 'webhook:analysis.ready')];
}

/** Returns the id of the event of a transfer that took place. */
export const transferEventId = (transferId: string): string =>
  derivedId(transferId, 'webhook:call.transferred');

/** Adds an event of a call to those that are published; a test session has none. */
export function addCallEvent<T extends EventType>(
  events: EventCollector,
  call: CallDocument,
  type: T,
  occurredAt: number,
  data: EventData<T>,
): void {
  if (!isTestSession(call)) events.add(callWebhookEvent(call, type, occurredAt, data));
}

/** Returns the events of what happened to a call before its end is published, in order: answered, hung up. Pure. */
export function progressEvents(call: CallDocument): TenantEvent[] {
  if (isTestSession(call)) return [];
  const base = callEventBase(call);
  const events: TenantEvent[] = [];
  for (const { id, type, at } of call.timeline) {
    const when = at.getTime();
    if (type === 'call.started') events.push(callWebhookEvent(call, 'call.started', when, base, id));
    if (type === 'call.completed' && call.end_reason && HANGUPS.includes(call.end_reason)) {
      events.push(callWebhookEvent(call, 'call.hangup', when, { ...base, end_reason: call.end_reason }));
    }
  }
  return events;
}

/** A recording's address as events carry it. */
export interface SignedAddress {
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * Returns the one event of a call's end: `call.completed` when it was held to its end or to an answering machine,
 * `call.failed` when it came to no conversation or broke off; `status` says which. Null while it is live. Pure.
 */
export function endEvent(
  call: CallDocument,
  recording: SignedAddress | null,
  costUsd: number | null,
): TenantEvent<'call.completed'> | TenantEvent<'call.failed'> | null {
  const id = derivedId(call._id, `status:${call.status}`);
  const at = call.ended_at?.getTime() ?? 0;
  const base = callEventBase(call);
  switch (call.status) {
    case 'COMPLETED':
    case 'VOICEMAIL': {
      const data = {
        ...base,
        status: call.status,
        duration_ms: call.duration_ms ?? 0,
        outcome: call.outcome,
        recording_url: recording?.url ?? null,
        recording_url_expires_at: recording?.expiresAt.toISOString() ?? null,
        summary: call.summary,
        cost_usd: costUsd,
      };
      return callWebhookEvent(call, 'call.completed', at, data, id);
    }
    case 'FAILED':
    case 'BUSY':
    case 'NO_ANSWER': {
      const data = {
        ...base,
        status: call.status,
        error_code: call.error_code ?? call.end_reason ?? 'failed',
        error_message: call.error_message ?? FAILURE_MESSAGE[call.status],
      };
      return callWebhookEvent(call, 'call.failed', at, data, id);
    }
    case 'QUEUED':
    case 'RINGING':
    case 'IN_PROGRESS':
      return null;
  }
}
