import type { ServerResponse } from 'node:http';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { WebhookReceiver } from '../../testing/webhook-receiver.js';
import { exampleData } from '../events/catalog.js';
import type { EventType } from '../events/event-types.js';
import { webhooksOf } from '../testing/webhooks-of.js';

let store: TestStore;
let planes: TestControlPlane[];
let receiver: WebhookReceiver;
/** Requests that wait for their answer. */
let open: { type: string; response: ServerResponse }[];

beforeAll(async () => {
  store = await startTestStore();
  const env = { EGRESS_ALLOW: '127.0.0.0/8' };
  planes = [await startTestControlPlane(store.uri, { env }), await startTestControlPlane(store.uri, { env })];
  receiver = await WebhookReceiver.start();
  receiver.answer = ({ event }, response) => open.push({ type: event.event_type, response });
});
afterAll(async () => {
  await receiver?.close();
  for (const plane of planes ?? []) await plane.close();
  await store?.close();
});

const ENDING = ['call.completed', 'transcript.ready', 'recording.ready', 'analysis.ready'] as const;

/** A tenant of the first replica, and how to publish events of its call at either. */
async function subscribed() {
  open = [];
  receiver.received.length = 0;
  const { key, tenantId } = await planes[0]!.newKey();
  const made = await planes[0]!.request('POST', '/api/v1/webhooks', { key, body: { url: receiver.url() } });
  expect(made.status).toBe(201);
  return (at: number, type: EventType, callId: string) =>
    webhooksOf(planes[at]!).events.emit({
      id: newId(),
      type,
      tenant: asTenantId(tenantId),
      sandbox: true,
      occurredAt: Date.now(),
      data: { ...exampleData(type), call_id: callId } as never,
    });
}
const types = () => receiver.received.map(({ event }) => event.event_type);

describe('the events of one call', () => {
  it.each([
    ['one replica', [0, 0, 0, 0]],
    ['two replicas', [0, 1, 0, 1]],
  ])('are sent one after another, in their order, by %s', async (_name, replicas) => {
    const publish = await subscribed();
    const id = newId();
    for (const [i, type] of ENDING.entries()) await publish(replicas[i]!, type, id);
    for (const [i, type] of ENDING.entries()) {
      await eventually(() => open.length === i + 1);
      // Nothing overtakes the one that is not answered; another call's event is not held up by it.
      if (i === 0) {
        await publish(0, 'call.started', newId());
        await eventually(() => types().includes('call.started'));
        open
          .find((request) => request.type === 'call.started')!
          .response.writeHead(204)
          .end();
        open = open.filter((request) => request.type !== 'call.started');
      }
      expect(open.map((request) => request.type)).toEqual(ENDING.slice(0, i + 1));
      // Refused or taken, the next one's turn has come.
      open[i]!.response.writeHead(type === 'transcript.ready' ? 500 : 204).end();
    }
    expect(types().filter((type) => type !== 'call.started')).toEqual(ENDING);
  });
});
