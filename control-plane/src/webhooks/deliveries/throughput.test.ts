/** @replicas How many deliveries are sent at once to one receiver. */

import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replicas, startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { WebhookReceiver } from '../../testing/webhook-receiver.js';
import { webhooksOf } from '../testing/webhooks-of.js';

let store: TestStore;
let plane: TestControlPlane;
let healthy: WebhookReceiver;
let slow: WebhookReceiver;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri, { env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  [healthy, slow] = [await WebhookReceiver.start(), await WebhookReceiver.start()];
});
afterAll(async () => {
  await healthy?.close();
  await slow?.close();
  await plane?.close();
  await store?.close();
});

async function subscribed(urls: readonly string[]) {
  const { key, tenantId } = await plane.newKey();
  for (const url of urls) {
    expect((await plane.request('POST', '/api/v1/webhooks', { key, body: { url } })).status).toBe(201);
  }
  const { events } = webhooksOf(plane);
  const emit = async (count: number) => {
    const one = () =>
      events.emit({
        id: newId(),
        type: 'agent.activated',
        tenant: asTenantId(tenantId),
        sandbox: true,
        occurredAt: Date.now(),
        data: { agent_id: newId() },
      });
    // As from ten calls at once.
    for (let i = 0; i < count; i += 10) await Promise.all(Array.from({ length: 10 }, one));
  };
  return { key, emit };
}

/** Many times what is sent at once. */
const EVENTS = 300;

describe('delivery under load', () => {
  it('many events to a healthy receiver leave in one go, each once and few at a time', async () => {
    const { emit } = await subscribed([healthy.url()]);
    await emit(EVENTS);
    // How fast that is depends on the machine and is no claim of this test.
    await eventually(() => healthy.received.length >= EVENTS);
    expect(new Set(healthy.received.map(({ event }) => event.event_id)).size).toBe(EVENTS);
    expect(healthy.received).toHaveLength(EVENTS);
    expect(healthy.mostAtOnce).toBeLessThanOrEqual(16);
  });

  it('a receiver that never answers does not hold up others, and is sent few at once', async () => {
    slow.answer = () => {};
    healthy.received.length = 0;
    const { emit } = await subscribed([slow.url(), healthy.url()]);
    await emit(100);
    // If they waited for the silent one, each would wait for as long as an attempt may take.
    await eventually(() => healthy.received.length >= 100);
    // Each replica keeps to it by itself.
    expect(slow.mostAtOnce).toBeLessThanOrEqual(4 * replicas());
  });
});
