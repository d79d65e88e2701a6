import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { SpanRecorder } from '@voice/shared/tracing/testing/span-recorder';
import { NO_TRACING, type Tracer } from '@voice/shared/tracing/tracer';
import { expect, it } from 'vitest';
import type { DeliveryRow } from './delivery-model.js';
import { tracedDelivery } from './delivery-span.js';

const CALL = '0199c0de-0000-7000-8000-00000000abcd';
const clock = new ScriptedClock();

/** Delivers an event of the call, which takes 120 ms and is answered 503. */
function deliver(tracer: Tracer, row: Partial<DeliveryRow>, data: object) {
  const delivery = {
    _id: 'd1',
    event_id: 'e1',
    event_type: 'call.started',
    attempt: 2,
    ...row,
  } as DeliveryRow;
  return tracedDelivery({ tracer, clock }, { delivery, body: JSON.stringify({ data }) }, async () => {
    clock.advance(120);
    return { ok: false, status: 503, error: 'The receiver answered 503.' };
  });
}

it('records an attempt with its answer under the call that its event is of', async () => {
  const recorder = new SpanRecorder();
  const startedAt = clock.now();
  expect(await deliver(recorder, { subject: CALL, attempt: 1 }, {})).toMatchObject({ status: 503 });
  expect(recorder.spans).toMatchObject([
    {
      callId: CALL,
      name: 'webhook call.started',
      kind: 'client',
      startedAt,
      endedAt: startedAt + 120,
      attributes: { 'http.response.status_code': 503, 'webhook.attempt': 1, 'webhook.event.id': 'e1' },
      error: 'The receiver answered 503.',
    },
  ]);
});

it('finds the call of a retry in the body, and records nothing for an event of no call', async () => {
  const recorder = new SpanRecorder();
  await deliver(recorder, { subject: null }, { call_id: CALL });
  await deliver(recorder, { subject: null }, { agent_id: CALL });
  expect(recorder.spans).toMatchObject([{ callId: CALL, attributes: { 'webhook.attempt': 2 } }]);
  expect(await deliver(NO_TRACING, { subject: CALL }, {})).toMatchObject({ ok: false });
});
