import { type Span, type TracingContext, traced } from '@voice/shared/tracing/tracer';
import { z } from 'zod';
import type { Attempt } from './delivery-queue.js';
import type { SendResult } from './sender.js';

const bodyOfCall = z.object({ data: z.object({ call_id: z.uuid() }) });

/** Runs an attempt to deliver an event of a call as a span of the call's trace. Retries name their call in the body alone. */
export function tracedDelivery(
  tracing: TracingContext,
  { delivery, body }: Pick<Attempt, 'delivery' | 'body'>,
  send: () => Promise<SendResult>,
): Promise<SendResult> {
  const callId = tracing.tracer.isOn ? (delivery.subject ?? callIdOf(body)) : undefined;
  if (callId === undefined) return send();
  return traced(
    tracing,
    {
      callId,
      name: `webhook ${delivery.event_type}`,
      kind: 'client',
      attributes: {
        'http.request.method': 'POST',
        'webhook.event.id': delivery.event_id,
        'webhook.delivery.id': delivery._id,
        'webhook.attempt': delivery.attempt,
      },
    },
    send,
    describe,
  );
}

function callIdOf(body: string): string | undefined {
  try {
    return bodyOfCall.safeParse(JSON.parse(body)).data?.data.call_id;
  } catch {
    return undefined;
  }
}

function describe({ status, error }: SendResult): Pick<Span, 'attributes' | 'error'> {
  return {
    attributes: { 'http.response.status_code': status ?? undefined },
    error: error ?? undefined,
  };
}
