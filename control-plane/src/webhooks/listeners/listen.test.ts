/** @replicas A listener at one replica of what another publishes. */

import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { signatureHolds, WebhookReceiver } from '../../testing/webhook-receiver.js';
import type { EventType } from '../events/event-types.js';
import { webhooksOf } from '../testing/webhooks-of.js';
import type { ListenerEventRow } from './listener-event-model.js';
import type { DeliveryMessage, ReadyMessage } from './listener-messages.js';
import { MAX_LISTENERS, MAX_WAITING } from './listeners.js';

const BASE = '/api/v1/webhooks';

let store: TestStore;
let plane: TestControlPlane;
let receiver: WebhookReceiver;
let owner: { key: string; tenantId: string };

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri, { env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  receiver = await WebhookReceiver.start();
});
beforeEach(async () => {
  owner = await plane.newKey();
});
afterAll(async () => {
  await plane?.close();
  await receiver?.close();
  await store?.close();
});

/** A listener's end of its connection. It answers each delivery with `status`, unless that is null. */
interface TestListener {
  readonly socket: WebSocket;
  readonly ready: ReadyMessage;
  readonly deliveries: DeliveryMessage[];
  readonly closing: Promise<number>;
}

/** Connects; rejects with the status of a refusal and its code. */
function listen(query = '', { key = owner.key, status = 200 as number | null, at = plane } = {}) {
  const url = `${at.url.replace(/^http/, 'ws')}${BASE}/listen${query}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  const deliveries: DeliveryMessage[] = [];
  const closing = new Promise<number>((resolve) => socket.on('close', resolve));
  return new Promise<TestListener>((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { code } = JSON.parse(Buffer.concat(chunks).toString()) as { code: string };
        reject(new Error(`${response.statusCode} ${code}`));
      });
    });
    socket.on('error', reject);
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as ReadyMessage | DeliveryMessage;
      if (message.type === 'ready') return resolve({ socket, ready: message, deliveries, closing });
      deliveries.push(message);
      if (status !== null) socket.send(JSON.stringify({ type: 'result', id: message.id, status }));
    });
  });
}

async function publish(type: EventType & `agent.${string}` = 'agent.activated', sandbox = true) {
  const id = newId();
  const tenant = asTenantId(owner.tenantId);
  const data = { agent_id: newId() };
  await webhooksOf(plane).events.emit({ id, type, tenant, sandbox, occurredAt: Date.now(), data });
  return id;
}

const idsOf = ({ deliveries }: TestListener) => deliveries.map(({ event_id }) => event_id);
const rowsIn = (collection: string) =>
  plane.platform.store.collection(collection).countDocuments({ tenant_id: owner.tenantId });

describe('GET /api/v1/webhooks/listen', () => {
  it('sends headers and body as a URL gets them, at each replica, and keeps no delivery', async () => {
    const listeners = [await listen(), await listen('', { status: 500 })];
    await plane.request('POST', BASE, { key: owner.key, body: { url: receiver.url() } });
    const id = await publish();
    for (const listener of listeners) await eventually(() => listener.deliveries.length === 1);
    await eventually(() => receiver.received.length === 1);
    const [sent] = receiver.received;
    for (const { ready, deliveries } of listeners) {
      const [delivery] = deliveries;
      expect(delivery).toMatchObject({ type: 'delivery', event_id: id, event_type: 'agent.activated' });
      expect(delivery!.body).toBe(sent!.body);
      const headers = Object.fromEntries(
        Object.entries(delivery!.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const { host: _, connection: __, 'x-service-signature': ___, ...same } = sent!.headers;
      expect(headers).toMatchObject(same);
      expect(ready).toMatchObject({ secret: expect.stringMatching(/^whsec_[\w-]{43}$/), event_types: ['*'] });
      expect(signatureHolds({ ...sent!, headers }, ready.secret, Date.now())).toBe(true);
    }
    // What failed is not tried again: it is gone like the other.
    await eventually(async () => (await rowsIn('webhook_listener_events')) === 0);
    expect(await rowsIn('webhook_deliveries')).toBe(1);
    expect(await rowsIn('events')).toBe(1);
    for (const { socket } of listeners) socket.close(1000);
    // The URL's subscription is left alone.
    await eventually(async () => (await rowsIn('webhook_subscriptions')) === 1);
  });

  it('sends what was asked for, of its tenant and mode alone', async () => {
    const other = await plane.newKey();
    const live = await plane.newKey({ tenant: `tenant ${newId()}`, sandbox: false });
    const [mine, foreign, production] = [
      await listen('?event_types=agent.deactivated,call.started'),
      await listen('', { key: other.key }),
      await listen('', { key: live.key }),
    ];
    await publish('agent.activated');
    await publish('agent.deactivated', false);
    const id = await publish('agent.deactivated');
    await eventually(() => mine.deliveries.length === 1);
    expect([idsOf(mine), foreign.deliveries, production.deliveries]).toEqual([[id], [], []]);
    expect(mine.ready.event_types).toEqual(['agent.deactivated', 'call.started']);
    for (const { socket } of [mine, foreign, production]) socket.close(1000);
  });

  it('goes on where a connection broke, with the same secret and what was not answered', async () => {
    const first = await listen('', { status: null });
    const unanswered = await publish();
    await eventually(() => first.deliveries.length === 1);
    first.socket.terminate();
    await first.closing;
    const missed = await publish();
    const second = await listen(`?listener_id=${first.ready.listener_id}`);
    expect(second.ready.secret).toBe(first.ready.secret);
    await eventually(() => second.deliveries.length >= 2);
    expect(idsOf(second)).toEqual([unanswered, missed]);
    second.socket.close(1000);
    await eventually(async () => (await rowsIn('webhook_subscriptions')) === 0);
    await expect(listen(`?listener_id=${first.ready.listener_id}`)).rejects.toThrow('404 webhook_not_found');
  });

  it('is refused before it is opened: credentials, foreign listeners, unknown types, too many', async () => {
    const listeners = [await listen()];
    const resumed = `?listener_id=${listeners[0]!.ready.listener_id}`;
    const { key: foreign } = await plane.newKey();
    await expect(listen('', { key: 'sk_test_nobody' })).rejects.toThrow('401 invalid_api_key');
    await expect(listen(resumed, { key: foreign })).rejects.toThrow('404 webhook_not_found');
    await expect(listen('?event_types=call.dreamt')).rejects.toThrow('422 validation_error');
    while (listeners.length < MAX_LISTENERS) listeners.push(await listen());
    await expect(listen()).rejects.toThrow('429 live_limit_reached');
    const answer = await plane.request('GET', `${BASE}/listen`, { key: foreign });
    expect([answer.status, answer.headers.get('upgrade')]).toEqual([426, 'websocket']);
    for (const { socket } of listeners) socket.close(1000);
  });

  it('is none of the subscriptions that the other operations know', async () => {
    const { socket, ready } = await listen();
    const asked = ['', '/deliveries'].map((path) => ['GET', `${BASE}/${ready.listener_id}${path}`] as const);
    for (const [method, path] of asked) {
      expect((await plane.request(method, path, { key: owner.key })).status).toBe(404);
    }
    const body = { event_type: 'call.started' };
    const tested = await plane.request('POST', `${BASE}/${ready.listener_id}/test`, { key: owner.key, body });
    const listed = await plane.request('GET', BASE, { key: owner.key });
    expect([tested.status, listed.json]).toEqual([404, []]);
    socket.close(1000);
  });

  it('is closed with 1013 when it is slower than its events, and what waited is dropped', async () => {
    const slow = await listen('', { status: null });
    await publish();
    const waiting = plane.platform.store.collection<ListenerEventRow>('webhook_listener_events');
    const row = await eventually(() => waiting.findOne({ listener_id: slow.ready.listener_id }));
    await waiting.insertMany(Array.from({ length: MAX_WAITING }, () => ({ ...row!, _id: newId() })));
    expect(await slow.closing).toBe(1013);
    await eventually(async () => (await rowsIn('webhook_listener_events')) === 0);
  });

  it('is closed with 1001 by a replica that stops, and goes on at another', async () => {
    const leaving = await startTestControlPlane(store.uri);
    const first = await listen('', { at: leaving });
    const stopping = leaving.close();
    expect(await first.closing).toBe(1001);
    await stopping;
    const second = await listen(`?listener_id=${first.ready.listener_id}`);
    expect(second.ready.secret).toBe(first.ready.secret);
    second.socket.close(1000);
  });
});
