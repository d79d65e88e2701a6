import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { signatureHolds, WebhookReceiver } from '../../testing/webhook-receiver.js';
import type { EventType } from '../events/event-types.js';
import type { DeliveryResponse, WebhookCreateResponse } from '../schemas.js';
import { webhooksOf } from '../testing/webhooks-of.js';
import { MAX_ATTEMPTS } from './retry-schedule.js';

const BASE = '/api/v1/webhooks';
const HOUR = 3_600_000;

let store: TestStore;
let plane: TestControlPlane;
let clock: ScriptedClock;
let receiver: WebhookReceiver;
let key: string;
let tenantId: string;

beforeAll(async () => {
  store = await startTestStore();
  clock = new ScriptedClock(Date.now());
  plane = await startTestControlPlane(store.uri, { clock, env: { EGRESS_ALLOW: '127.0.0.0/8' } });
});
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  ({ key, tenantId } = await plane.newKey());
});
afterEach(() => receiver.close());
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

async function subscribe(body: object = {}, as = key): Promise<WebhookCreateResponse> {
  const answer = await plane.request('POST', BASE, { key: as, body: { url: receiver.url(), ...body } });
  expect(answer.status).toBe(201);
  return answer.json as WebhookCreateResponse;
}

async function happen(
  type: EventType & ('agent.activated' | 'agent.deactivated') = 'agent.activated',
  { sandbox = true, id = newId() } = {},
): Promise<string> {
  await webhooksOf(plane).events.emit({
    id,
    type,
    tenant: asTenantId(tenantId),
    sandbox,
    occurredAt: clock.now(),
    data: { agent_id: newId() },
  });
  return id;
}

async function deliveries(webhookId: string, query = ''): Promise<DeliveryResponse[]> {
  const answer = await plane.request('GET', `${BASE}/${webhookId}/deliveries${query}`, { key });
  expect(answer.status).toBe(200);
  return answer.json as DeliveryResponse[];
}

/** The newest attempt, once it is as `expected`. */
const newest = (webhookId: string, expected: Partial<DeliveryResponse>) =>
  eventually(
    async () => (await deliveries(webhookId))[0],
    (row) =>
      row !== undefined && Object.entries(expected).every(([k, v]) => row[k as keyof DeliveryResponse] === v),
  );

/** Lets time pass and the loop look at it: once, for in a month it would a million times. */
function pass(ms: number): void {
  clock.jump(ms);
}

describe('a delivery', () => {
  // @rule 6.9, 6.10
  it('is a POST of the event as JSON, named by its headers', async () => {
    await subscribe();
    const id = await happen('agent.deactivated');
    const [sent] = await eventually(
      () => receiver.received,
      (list) => list.length === 1,
    );
    expect(sent!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'agent.deactivated',
      'x-service-event-id': id,
    });
    expect(sent!.event).toEqual({
      event_id: id,
      event_type: 'agent.deactivated',
      tenant_id: tenantId,
      sandbox: true,
      occurred_at: Math.floor(clock.now() / 1000),
      data: { agent_id: expect.any(String) },
    });
  });

  // @rule 6.11
  it('is signed: HMAC-SHA256 over time and raw body, under the secret of the subscription', async () => {
    const { secret } = await subscribe();
    await happen();
    const [sent] = await eventually(
      () => receiver.received,
      (list) => list.length === 1,
    );
    expect(signatureHolds(sent!, secret, clock.now())).toBe(true);
    expect(signatureHolds(sent!, secret, clock.now() + 301_000)).toBe(false);
    expect(signatureHolds({ ...sent!, body: `${sent!.body} ` }, secret, clock.now())).toBe(false);
    expect(signatureHolds(sent!, 'whsec_other', clock.now())).toBe(false);
  });

  it('is a row: pending, then succeeded with status and time', async () => {
    const { id } = await subscribe();
    const eventId = await happen();
    expect(await newest(id, { status: 'succeeded' })).toEqual({
      id: expect.any(String),
      webhook_id: id,
      event_id: eventId,
      event_type: 'agent.activated',
      url: receiver.url(),
      attempt: 1,
      status: 'succeeded',
      response_status: 204,
      error: null,
      origin: 'event',
      next_attempt_at: null,
      created_at: expect.any(String),
      delivered_at: expect.any(String),
    });
  });

  // @rule 6.2
  it('goes to every subscription that opted into the type, and to no other', async () => {
    const all = await subscribe({ url: receiver.url('/all') });
    const some = await subscribe({ url: receiver.url('/some'), event_types: ['agent.activated'] });
    const none = await subscribe({ url: receiver.url('/none'), event_types: ['call.started'] });
    const { key: foreign } = await plane.newKey();
    await subscribe({ url: receiver.url('/foreign') }, foreign);
    await happen();
    await newest(all.id, { status: 'succeeded' });
    await newest(some.id, { status: 'succeeded' });
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/all', '/some']);
    expect(await deliveries(none.id)).toEqual([]);
  });

  it('leaves a skipped delivery for a subscription that is switched off, which can be replayed', async () => {
    const off = await subscribe({ url: receiver.url('/off') });
    const other = await subscribe({ url: receiver.url('/other'), event_types: ['call.started'] });
    for (const { id } of [off, other]) {
      await plane.request('PATCH', `${BASE}/${id}`, { key, body: { is_active: false } });
    }
    await happen();
    const skipped = (await newest(off.id, { status: 'skipped' }))!;
    expect(skipped).toMatchObject({
      event_type: 'agent.activated',
      attempt: 1,
      response_status: null,
      error: 'The subscription is switched off.',
      next_attempt_at: null,
      delivered_at: null,
    });
    expect(await deliveries(other.id)).toEqual([]);
    expect(receiver.received).toEqual([]);
    await plane.request('PATCH', `${BASE}/${off.id}`, { key, body: { is_active: true } });
    pass(1000);
    await plane.request('POST', `${BASE}/deliveries/${skipped.id}/replay`, { key });
    await newest(off.id, { status: 'succeeded', event_id: skipped.event_id });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/off']);
  });

  // @rule 5.7, 6.4
  it('delivers sandbox events to sandbox subscriptions only, and the reverse', async () => {
    const tenant = `both modes ${newId()}`;
    const { key: test } = await plane.newKey({ tenant });
    ({ key, tenantId } = await plane.newKey({ tenant, sandbox: false }));
    await subscribe({ url: receiver.url('/test') }, test);
    await subscribe({ url: receiver.url('/live') });
    await happen('agent.activated', { sandbox: true });
    await eventually(() => receiver.received.length === 1);
    await happen('agent.activated', { sandbox: false });
    await eventually(() => receiver.received.length === 2);
    expect(receiver.received.map(({ path, event }) => [path, event.sandbox])).toEqual([
      ['/test', true],
      ['/live', false],
    ]);
  });

  it('is made once for an event that is published again', async () => {
    const { id } = await subscribe();
    const eventId = newId();
    await Promise.all([1, 2, 3].map(() => happen('agent.activated', { id: eventId })));
    await newest(id, { status: 'succeeded' });
    await happen('agent.activated', { id: eventId });
    expect(await deliveries(id)).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });

  it('reaches the tenant-level single webhook as well', async () => {
    const put = await plane.request('PUT', `${BASE}/config`, { key, body: { url: receiver.url('/config') } });
    const { webhook_id: id, secret } = put.json as { webhook_id: string; secret: string };
    await happen();
    await newest(id, { status: 'succeeded' });
    expect(signatureHolds(receiver.received[0]!, secret, clock.now())).toBe(true);
  });
});

describe('an attempt that fails', () => {
  // @rule 6.6, 7.14
  it.each([500, 404, 302, 429])('with %s is retried; every attempt is a row', async (status) => {
    const { id } = await subscribe();
    receiver.answer = (_sent, response) => response.writeHead(status, { location: '/elsewhere' }).end();
    const eventId = await happen();
    const next = await newest(id, { attempt: 2, status: 'pending' });
    const [, first] = await deliveries(id);
    expect(first).toMatchObject({ attempt: 1, status: 'failed', response_status: status, event_id: eventId });
    const waits = Date.parse(next!.next_attempt_at!) - clock.now();
    expect(waits).toBeGreaterThanOrEqual(8000);
    expect(waits).toBeLessThanOrEqual(10_000);

    receiver.answer = (_sent, response) => response.writeHead(200).end('ok');
    pass(waits - 1100);
    expect(receiver.received).toHaveLength(1);
    pass(2200);
    expect(await newest(id, { attempt: 2, status: 'succeeded' })).toMatchObject({ event_id: eventId });
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[1]!.body).toBe(receiver.received[0]!.body);
  });

  it('because nobody answers at the address says so', async () => {
    const { id } = await subscribe();
    await receiver.close();
    await happen();
    await newest(id, { attempt: 2, status: 'pending' });
    const [, first] = await deliveries(id);
    expect(first).toMatchObject({ status: 'failed', response_status: null });
    expect(first!.error).toMatch(/egress_failed/);
    receiver = await WebhookReceiver.start();
  });

  it('honours Retry-After', async () => {
    const { id } = await subscribe();
    receiver.answer = (_sent, response) => response.writeHead(503, { 'retry-after': '3600' }).end();
    await happen();
    const next = await newest(id, { attempt: 2, status: 'pending' });
    expect(Date.parse(next!.next_attempt_at!)).toBe(clock.now() + HOUR);
  });

  // @rule 6.7
  it('for the tenth time ends the delivery as failed, within 24 hours', async () => {
    const { id } = await subscribe();
    receiver.answer = (_sent, response) => response.writeHead(500).end();
    await happen();
    const started = clock.now();
    for (let attempt = 2; attempt <= MAX_ATTEMPTS; attempt++) {
      const row = await newest(id, { attempt, status: 'pending' });
      pass(Math.max(0, Date.parse(row!.next_attempt_at!) - clock.now()) + 1000);
    }
    await newest(id, { attempt: MAX_ATTEMPTS, status: 'failed' });
    expect(clock.now() - started).toBeLessThan(24 * HOUR + 60_000);
    pass(48 * HOUR);
    const rows = await deliveries(id);
    expect(rows.map(({ attempt }) => attempt)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(rows.every(({ status }) => status === 'failed')).toBe(true);
    expect(receiver.received).toHaveLength(MAX_ATTEMPTS);
  });

  it('does not fail for a long answer: what the receiver says is read up to a limit', async () => {
    const { id } = await subscribe();
    receiver.answer = (_sent, response) => response.writeHead(200).end(Buffer.alloc(5_000_000, 'x'));
    await happen();
    await newest(id, { status: 'succeeded', response_status: 200 });
  });

  it('is skipped from then on when the subscription is switched off or deleted', async () => {
    const { id } = await subscribe();
    receiver.answer = (_sent, response) => response.writeHead(500).end();
    await happen();
    await newest(id, { attempt: 2, status: 'pending' });
    await plane.request('PATCH', `${BASE}/${id}`, { key, body: { is_active: false } });
    const [second] = await deliveries(id);
    expect(second).toMatchObject({ attempt: 2, status: 'skipped', next_attempt_at: null });
    pass(HOUR);
    expect(receiver.received).toHaveLength(1);
  });

  it('goes to the new URL after the subscription was changed', async () => {
    const { id } = await subscribe({ url: receiver.url('/old') });
    receiver.answer = (_sent, response) => response.writeHead(500).end();
    await happen();
    await newest(id, { attempt: 2, status: 'pending' });
    await plane.request('PATCH', `${BASE}/${id}`, { key, body: { url: receiver.url('/new') } });
    receiver.answer = (_sent, response) => response.writeHead(204).end();
    pass(11_000);
    expect(await newest(id, { attempt: 2, status: 'succeeded' })).toMatchObject({
      url: receiver.url('/new'),
    });
  });
});

describe('the egress guard', () => {
  it('refuses an address that a name leads to when it is sent', async () => {
    const strict = await startTestControlPlane(store.uri, { clock });
    const guarded = await strict.newKey();
    const made = await strict.request('POST', BASE, {
      key: guarded.key,
      body: { url: `http://localhost:${receiver.port}/` },
    });
    expect(made.status).toBe(201);
    const { id } = made.json as WebhookCreateResponse;
    await plane.testStore().collection('webhook_deliveries').deleteMany({ status: 'pending' });
    const fire = { key: guarded.key, body: { event_type: 'call.started' } };
    // The permissive replica of these tests must not be the one that sends it.
    await plane.close();
    await strict.request('POST', `${BASE}/${id}/test`, fire);
    const list = () => strict.request('GET', `${BASE}/${id}/deliveries`, { key: guarded.key });
    const rows = await eventually(
      async () => (await list()).json as DeliveryResponse[],
      (all) => all.length === 2,
    );
    await strict.close();
    plane = await startTestControlPlane(store.uri, { clock, env: { EGRESS_ALLOW: '127.0.0.0/8' } });
    expect(rows[1]).toMatchObject({ status: 'failed', response_status: null });
    expect(rows[1]!.error).toMatch(/egress_address_refused/);
    expect(receiver.received).toEqual([]);
  });
});

describe('GET /api/v1/webhooks/deliveries/{delivery_id}/detail', () => {
  it('has the very bytes that are sent, for the tenant alone, until the event is erased', async () => {
    const { id } = await subscribe();
    const eventId = await happen();
    const sent = (await newest(id, { status: 'succeeded' }))!;
    const path = `${BASE}/deliveries/${sent.id}/detail`;
    const { status, json } = await plane.request('GET', path, { key });
    expect([status, json]).toEqual([200, { ...sent, body: receiver.received[0]!.body.toString() }]);
    const { key: foreign } = await plane.newKey();
    expect((await plane.request('GET', path, { key: foreign })).status).toBe(404);
    await webhooksOf(plane).eraseEvents(asTenantId(tenantId), [eventId]);
    expect((await plane.request('GET', path, { key })).json).toMatchObject({ id: sent.id, body: null });
  });
});

describe('a replay', () => {
  // @rule 3.20, 4.41, 6.29
  it('sends the same event_id in exactly the same bytes, as a new row', async () => {
    const { id, secret } = await subscribe();
    const eventId = await happen();
    const first = await newest(id, { status: 'succeeded' });
    pass(60_000);
    const answer = await plane.request('POST', `${BASE}/deliveries/${first!.id}/replay`, { key });
    expect(answer.status).toBe(202);
    const replay = answer.json as DeliveryResponse;
    expect(replay).toMatchObject({ event_id: eventId, attempt: 1, origin: 'replay' });
    expect(replay.id).not.toBe(first!.id);
    await newest(id, { id: replay.id, status: 'succeeded' });
    const [before, after] = receiver.received;
    expect(after!.body).toBe(before!.body);
    expect(after!.headers['x-service-event-id']).toBe(eventId);
    expect(signatureHolds(after!, secret, clock.now())).toBe(true);
    expect(after!.headers['x-service-signature']).not.toBe(before!.headers['x-service-signature']);
    expect(await deliveries(id)).toHaveLength(2);
  });

  it('repeated with its Idempotency-Key sends once', async () => {
    const { id } = await subscribe();
    await happen();
    const first = await newest(id, { status: 'succeeded' });
    const headers = { 'Idempotency-Key': newId() };
    pass(1000);
    for (let i = 0; i < 2; i++)
      await plane.request('POST', `${BASE}/deliveries/${first!.id}/replay`, { key, headers });
    await newest(id, { origin: 'replay', status: 'succeeded' });
    expect(receiver.received).toHaveLength(2);
  });

  it('is skipped when the subscription is gone; a foreign delivery is 404', async () => {
    const { id } = await subscribe();
    await happen();
    const first = await newest(id, { status: 'succeeded' });
    const { key: foreign } = await plane.newKey();
    const path = `${BASE}/deliveries/${first!.id}/replay`;
    expect((await plane.request('POST', path, { key: foreign })).status).toBe(404);
    expect((await plane.request('POST', `${BASE}/deliveries/${newId()}/replay`, { key })).status).toBe(404);
    await plane.request('DELETE', `${BASE}/${id}`, { key });
    const answer = await plane.request('POST', path, { key });
    expect([answer.status, answer.json]).toEqual([202, expect.objectContaining({ status: 'skipped' })]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a test fire', () => {
  // @rule 4.42
  it('sends a synthetic event with the given payload, whatever the subscription opted into', async () => {
    const { id, secret } = await subscribe({ event_types: ['call.started'] });
    const payload = { hello: { $set: 'world' }, 'a.b': 1 };
    const body = { event_type: 'campaign.completed', payload };
    const answer = await plane.request('POST', `${BASE}/${id}/test`, { key, body });
    expect([answer.status, answer.json]).toEqual([
      202,
      expect.objectContaining({ event_type: 'campaign.completed', origin: 'test', attempt: 1 }),
    ]);
    expect((await plane.request('GET', '/api/v1/events', { key })).json).toMatchObject({ events: [] });
    await newest(id, { status: 'succeeded' });
    expect(receiver.received[0]!.event).toMatchObject({ data: payload, sandbox: true, tenant_id: tenantId });
    expect(signatureHolds(receiver.received[0]!, secret, clock.now())).toBe(true);
  });

  it('without a payload sends the example of the catalog', async () => {
    const { id } = await subscribe();
    await plane.request('POST', `${BASE}/${id}/test`, { key, body: { event_type: 'call.completed' } });
    await newest(id, { status: 'succeeded' });
    expect(receiver.received[0]!.event.data).toMatchObject({
      call_id: expect.any(String),
      duration_ms: 94_200,
    });
  });

  it.each([{}, { event_type: 'call.exploded' }, { event_type: 'call.started', payload: [] }])(
    'refuses %j with 422',
    async (body) => {
      const { id } = await subscribe();
      expect((await plane.request('POST', `${BASE}/${id}/test`, { key, body })).status).toBe(422);
    },
  );
});

describe('GET /api/v1/webhooks/{webhook_id}/deliveries', () => {
  // @rule 8.9
  it('takes a limit of 1 to 500, 50 by default, newest first', async () => {
    const { id } = await subscribe();
    for (let i = 0; i < 52; i++) {
      clock.advance(1);
      await happen();
    }
    await eventually(() => receiver.received.length === 52);
    expect(await deliveries(id)).toHaveLength(50);
    expect(await deliveries(id, '?limit=500')).toHaveLength(52);
    const [last] = await deliveries(id, '?limit=1');
    expect(last!.event_id).toBe(receiver.received.at(-1)!.event.event_id);
    for (const limit of ['0', '501', 'many']) {
      const answer = await plane.request('GET', `${BASE}/${id}/deliveries?limit=${limit}`, { key });
      expect(answer.status).toBe(422);
    }
  });

  // @rule 4.40
  it('keeps the last 30 days', async () => {
    const { id } = await subscribe();
    await happen();
    const first = await newest(id, { status: 'succeeded' });
    const stored = await plane
      .testStore()
      .collection<{ _id: string }>('webhook_deliveries')
      .findOne({ _id: first!.id });
    expect(stored).toMatchObject({ expires_at: new Date(Date.parse(first!.created_at) + 720 * HOUR) });
    pass(721 * HOUR);
    expect(await deliveries(id)).toEqual([]);
  });
});
