/** @replicas Leases of deliveries. */

import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobIdOf, scheduledJobModel } from '../../platform/jobs/scheduled-job-model.js';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { WebhookReceiver } from '../../testing/webhook-receiver.js';
import { envelopeText } from '../events/envelope.js';
import type { EventRow } from '../events/model.js';
import type { TenantEvent } from '../events/tenant-events.js';
import { RESUME_INTERVAL_MS } from '../module.js';
import type { WebhookCreateResponse } from '../schemas.js';
import { webhooksOf } from '../testing/webhooks-of.js';
import { type DeliveryRow, deliveryModel, pendingDelivery } from './delivery-model.js';
import { LEASE_MS } from './delivery-queue.js';
import { firstDeliveryId } from './fan-out.js';

let store: TestStore;
let clock: ScriptedClock;
let plane: TestControlPlane;
let receiver: WebhookReceiver;
let key: string;
let tenantId: string;

const start = () => startTestControlPlane(store.uri, { clock, env: { EGRESS_ALLOW: '127.0.0.0/8' } });

beforeAll(async () => {
  store = await startTestStore();
});
beforeEach(async () => {
  clock = new ScriptedClock(Date.now());
  plane = await start();
  receiver = await WebhookReceiver.start();
  ({ key, tenantId } = await plane.newKey());
});
afterEach(async () => {
  await plane.close();
  await receiver.close();
});
afterAll(() => store?.close());

async function subscribe(path = '/hook'): Promise<string> {
  const answer = await plane.request('POST', '/api/v1/webhooks', { key, body: { url: receiver.url(path) } });
  return (answer.json as WebhookCreateResponse).id;
}

const event = (): TenantEvent<'agent.activated'> => ({
  id: newId(),
  type: 'agent.activated',
  tenant: asTenantId(tenantId),
  sandbox: true,
  occurredAt: clock.now(),
  data: { agent_id: newId() },
});

const rows = (filter: object) => deliveryModel(plane.testStore()).find(filter).lean<DeliveryRow[]>();

/** An event as a replica left it that died before anything was made of it. */
async function storedOnly(): Promise<EventRow> {
  const emitted = event();
  const row: EventRow = {
    _id: emitted.id,
    tenant_id: tenantId,
    type: emitted.type,
    sandbox: true,
    body: envelopeText(emitted),
    fanned_out: false,
    created_at: new Date(clock.now()),
    expires_at: new Date(clock.now() + 86_400_000),
  };
  await plane
    .testStore()
    .collection('events')
    .insertOne(row as never);
  return row;
}

const first = (stored: EventRow, subscriptionId: string, path: string) =>
  pendingDelivery({
    _id: firstDeliveryId(stored._id, subscriptionId),
    tenant_id: tenantId,
    subscription_id: subscriptionId,
    event_id: stored._id,
    event_type: stored.type,
    sandbox: true,
    origin: 'event',
    url: receiver.url(path),
    attempt: 1,
    dueAt: clock.now(),
    firstDueAt: clock.now(),
    now: clock.now(),
  });

describe('an event whose publisher died', () => {
  // @rule 6.5
  it('before any delivery was made reaches every subscription, once', async () => {
    await subscribe('/a');
    await subscribe('/b');
    const stored = await storedOnly();
    clock.advance(RESUME_INTERVAL_MS);
    await eventually(async () => (await rows({ event_id: stored._id, status: 'succeeded' })).length === 2);
    clock.advance(2 * RESUME_INTERVAL_MS);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/a', '/b']);
  });

  it('between two deliveries is completed: the one that was sent is not sent again', async () => {
    const [a, b] = [await subscribe('/a'), await subscribe('/b')];
    const stored = await storedOnly();
    const sent = { ...first(stored, a, '/a'), status: 'succeeded' as const };
    await deliveryModel(plane.testStore()).insertMany([sent]);
    clock.advance(RESUME_INTERVAL_MS);
    await eventually(() => receiver.received.length === 1);
    expect(receiver.received[0]!.path).toBe('/b');
    expect(await rows({ event_id: stored._id, subscription_id: b })).toHaveLength(1);
  });

  it('before its destination was woken does not wait for the job that it has in an hour', async () => {
    const id = await subscribe();
    const stored = await storedOnly();
    const waiting = first(stored, id, '/hook');
    const inAnHour = new Date(clock.now() + 3_600_000);
    const retry = { ...waiting, _id: newId(), event_id: newId(), attempt: 2, due_at: inAnHour };
    await deliveryModel(plane.testStore()).insertMany([waiting, retry]);
    const key = waiting.destination;
    const job = { _id: jobIdOf('webhooks', key), name: 'webhooks', key, due_at: inAnHour, holder: null };
    await scheduledJobModel(plane.testStore()).insertMany([job]);
    clock.advance(RESUME_INTERVAL_MS);
    await eventually(async () => (await rows({ event_id: stored._id, status: 'succeeded' })).length === 1);
    expect(receiver.received.map((sent) => sent.event.event_id)).toEqual([stored._id]);
    expect(await rows({ _id: retry._id })).toMatchObject([{ status: 'pending', due_at: inAnHour }]);
  });
});

describe('a delivery whose sender died', () => {
  it('is sent when the lease is over, and not before', async () => {
    const id = await subscribe();
    const stored = await storedOnly();
    const claimed = {
      ...first(stored, id, '/hook'),
      lease_owner: 'a replica that is gone',
      lease_until: new Date(clock.now() + LEASE_MS),
    };
    await deliveryModel(plane.testStore()).insertMany([claimed]);
    clock.advance(LEASE_MS - 1000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(receiver.received).toEqual([]);
    clock.advance(2000);
    await eventually(() => receiver.received.length === 1);
  });

  it('after a failure and before the next attempt was planned gets its next attempt, once', async () => {
    const id = await subscribe();
    const stored = await storedOnly();
    const failed = {
      ...first(stored, id, '/hook'),
      status: 'failed' as const,
      next_due_at: new Date(clock.now() + 20_000),
    };
    await deliveryModel(plane.testStore()).insertMany([failed]);
    clock.advance(RESUME_INTERVAL_MS);
    const next = { subscription_id: id, attempt: 2 };
    await eventually(async () => (await rows(next)).length === 1);
    clock.advance(19_000 - RESUME_INTERVAL_MS);
    expect(receiver.received).toEqual([]);
    clock.advance(3000);
    await eventually(() => receiver.received.length === 1);
    await eventually(async () => (await rows({ ...next, status: 'succeeded' })).length === 1);
    expect(await rows({ subscription_id: id })).toHaveLength(2);
  });
});

describe("a dead receiver's events", () => {
  it('survive restarts and arrive when it is back', async () => {
    await subscribe();
    const { port } = receiver;
    await receiver.close();
    const emitted = Array.from({ length: 5 }, event);
    for (const each of emitted) await webhooksOf(plane).events.emit(each);
    await eventually(async () => (await rows({ tenant_id: tenantId, attempt: 2 })).length === 5);
    for (let restart = 0; restart < 2; restart++) {
      await plane.close();
      plane = await start();
    }
    receiver = await WebhookReceiver.start(port);
    clock.advance(11_000);
    await eventually(() => receiver.received.length === 5);
    expect(new Set(receiver.received.map((sent) => sent.event.event_id))).toEqual(
      new Set(emitted.map(({ id }) => id)),
    );
  });

  it.each([
    ['all held by the replica that published', 8],
    ['most waiting in the store', 40],
  ])('that was being sent when the replica stopped is given back at once: %s', async (_where, count) => {
    const id = await subscribe();
    const answers: (() => void)[] = [];
    receiver.answer = (_sent, response) => void answers.push(() => response.writeHead(204).end());
    for (let i = 0; i < count; i++) await webhooksOf(plane).events.emit(event());
    await eventually(() => answers.length === 4);
    const closing = plane.close();
    const inHands = { subscription_id: id, lease_owner: { $ne: null } };
    await eventually(async () => (await rows(inHands)).length === 4);
    receiver.answer = (_sent, response) => response.writeHead(204).end();
    for (const answer of answers) answer();
    await closing;
    plane = await start();
    const succeeded = async () => (await rows({ subscription_id: id, status: 'succeeded' })).length;
    await eventually(async () => (await succeeded()) === count);
    expect(receiver.received).toHaveLength(count);
  });
});

describe('two replicas on one store', () => {
  it('send each delivery once, whichever published the event', async () => {
    await subscribe();
    const other = await start();
    const emit = (i: number) => webhooksOf(i % 2 ? plane : other).events.emit(event());
    await Promise.all(Array.from({ length: 100 }, (_, i) => emit(i)));
    for (let i = 0; i < 5; i++) clock.advance(1000);
    await eventually(async () => (await rows({ tenant_id: tenantId, status: 'succeeded' })).length === 100);
    await other.close();
    expect(receiver.received).toHaveLength(100);
  });

  it('publishing the same event at the same time deliver it once', async () => {
    await subscribe();
    const other = await start();
    const same = event();
    await Promise.all([plane, other, plane, other].map((each) => webhooksOf(each).events.emit(same)));
    await eventually(async () => (await rows({ event_id: same.id, status: 'succeeded' })).length === 1);
    await other.close();
    expect(receiver.received).toHaveLength(1);
  });
});
