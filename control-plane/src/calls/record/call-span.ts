import { rootSpanId } from '@voice/shared/ids/call-trace';
import type { Span } from '@voice/shared/tracing/tracer';
import type { CallDocument } from './model.js';

/** Builds the span of a whole call, which all others of its trace are under. No number is in it. */
export function callSpan(
  call: CallDocument,
  end: { readonly at: number; readonly endReason: string; readonly errorCode?: string | null },
): Span {
  return {
    callId: call._id,
    id: rootSpanId(call._id),
    parentId: null,
    name: 'call',
    startedAt: call.created_at.getTime(),
    endedAt: end.at,
    attributes: {
      'tenant.id': call.tenant_id,
      'call.direction': call.direction,
      'call.status': call.status,
      'call.end_reason': end.endReason,
      'call.carrier': call.carrier,
      'call.sandbox': call.sandbox,
      'call.campaign.id': call.campaign_id ?? undefined,
      'call.worker.id': call.worker_id ?? undefined,
      'gen_ai.agent.id': call.agent_id,
      'session.id': call._id,
      'langfuse.trace.name': 'call',
    },
    error: end.errorCode ?? undefined,
  };
}
