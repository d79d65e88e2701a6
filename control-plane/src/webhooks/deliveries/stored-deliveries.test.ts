import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CursorCodec } from '../../platform/http/pagination.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import { exampleData } from '../events/catalog.js';
import { EVENT_LIFE_MS, type EventRow } from '../events/model.js';
import type { SubscriptionRow } from '../subscriptions/subscription-model.js';
import { Subscriptions } from '../subscriptions/subscriptions.js';
import { type StoredWebhooks, startStoredWebhooks } from '../testing/stored-webhooks.js';
import { Deliveries } from './deliveries.js';
import { DELIVERY_LIFE_MS, destinationOf } from './delivery-model.js';

let webhooks: StoredWebhooks;
let deliveries: Deliveries;
let scope: TenantScope;
let subscription: SubscriptionRow;
/** When something is to be sent, in ms from now, and how many deliveries are stored by then. */
let woken: { afterMs: number; stored: number }[];

beforeAll(async () => {
  webhooks = await startStoredWebhooks();
  const subscriptions = new Subscriptions({
    ...webhooks,
    policy: createAddressPolicy([]),
    skipPending: async () => {},
  });
  deliveries = new Deliveries({
    ...webhooks,
    subscriptions,
    cursors: new CursorCodec('a key of at least thirty-two characters'),
    due: async (destination, at) => {
      expect(destination).toBe(destinationOf(subscription.tenant_id, subscription.url));
      woken.push({ afterMs: at - now(), stored: await webhooks.deliveries.countDocuments() });
    },
  });
});
beforeEach(async () => {
  scope = { tenant: await webhooks.reset(), sandbox: true };
  subscription = await webhooks.subscription();
  woken = [];
});
afterAll(() => webhooks?.close());

const now = () => webhooks.clock.now();
const isoNow = () => new Date(now()).toISOString();
const event = (id: string) => webhooks.events.findById(id).lean<EventRow>();

describe('the list of deliveries', () => {
  it('is of the last 30 days, the newest first', async () => {
    const at = (ms: number, attempt = 1) => ({ created_at: new Date(now() - ms), attempt });
    const rows = [
      await webhooks.pending(subscription, at(DELIVERY_LIFE_MS - 1)),
      await webhooks.pending(subscription, at(5, 1)),
      await webhooks.pending(subscription, at(5, 2)),
      await webhooks.pending(subscription, at(4)),
    ];
    const same = [await webhooks.pending(subscription, at(3)), await webhooks.pending(subscription, at(3))];
    rows.push(...same.sort((a, b) => (a._id < b._id ? -1 : 1)));
    await webhooks.pending(subscription, at(DELIVERY_LIFE_MS));
    await webhooks.pending(await webhooks.subscription());
    const list = await deliveries.list(scope, subscription._id, 50);
    expect(list.map(({ id }) => id)).toEqual(rows.reverse().map(({ _id }) => _id));
    expect(await deliveries.list(scope, subscription._id, 1)).toEqual([list[0]]);
  });

  it('shows an attempt as it is', async () => {
    const row = await webhooks.pending(subscription, { due_at: new Date(now() + 1) });
    const shown = {
      id: row._id,
      webhook_id: subscription._id,
      event_id: row.event_id,
      event_type: 'agent.activated',
      url: subscription.url,
      attempt: 1,
      status: 'pending',
      response_status: null,
      error: null,
      origin: 'event',
      next_attempt_at: new Date(now() + 1).toISOString(),
      created_at: isoNow(),
      delivered_at: null,
    };
    expect(await deliveries.list(scope, subscription._id, 50)).toEqual([shown]);
    const done = { status: 'succeeded', response_status: 204, delivered_at: new Date(now()) };
    await webhooks.deliveries.updateOne({ _id: row._id }, { $set: done });
    expect(await deliveries.list(scope, subscription._id, 50)).toEqual([
      { ...shown, ...done, delivered_at: isoNow(), next_attempt_at: null },
    ]);
  });

  it('is of a subscription of the tenant in the mode', async () => {
    for (const other of [
      { ...scope, sandbox: false },
      { ...scope, tenant: newId() as never },
    ]) {
      await expect(deliveries.list(other, subscription._id, 50)).rejects.toMatchObject({
        code: 'webhook_not_found',
      });
    }
  });
});

describe('the list of deliveries of a call', () => {
  const [callId, another] = [newId(), newId()];
  const at = (ms: number) => ({ call_id: callId, created_at: new Date(now() - ms) });
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

  it('is of every subscription, the newest first, page by page', async () => {
    const second = await webhooks.subscription();
    const rows = [
      await webhooks.pending(subscription, at(DELIVERY_LIFE_MS - 1)),
      await webhooks.pending(second, at(9)),
      await webhooks.pending(subscription, { ...at(4), attempt: 2 }),
    ].reverse();
    await webhooks.pending(subscription, at(DELIVERY_LIFE_MS));
    await webhooks.pending(subscription, { call_id: another });
    await webhooks.pending(subscription);
    const first = await deliveries.listOfCall(scope, callId, { limit: 2 });
    expect(ids(first.deliveries)).toEqual([rows[0]!._id, rows[1]!._id]);
    expect(first).toMatchObject({
      has_more: true,
      deliveries: [{ webhook_id: subscription._id, attempt: 2 }, { webhook_id: second._id }],
    });
    const rest = await deliveries.listOfCall(scope, callId, { limit: 2, cursor: first.next_cursor! });
    expect(rest).toMatchObject({ has_more: false, next_cursor: null });
    expect(ids(rest.deliveries)).toEqual([rows[2]!._id]);
    await expect(
      deliveries.listOfCall(scope, another, { limit: 2, cursor: first.next_cursor! }),
    ).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('has nothing of another tenant or the other mode', async () => {
    await webhooks.pending(subscription, at(1));
    for (const other of [
      { ...scope, sandbox: false },
      { ...scope, tenant: newId() as never },
    ]) {
      expect(await deliveries.listOfCall(other, callId, { limit: 50 })).toEqual({
        deliveries: [],
        has_more: false,
        next_cursor: null,
      });
    }
  });

  it('has a replay as well', async () => {
    const before = await webhooks.pending(subscription, { ...at(5), status: 'failed' });
    const { id } = await deliveries.replay(scope, before._id, newId());
    const { deliveries: listed } = await deliveries.listOfCall(scope, callId, { limit: 50 });
    expect(listed).toMatchObject([
      { id, origin: 'replay' },
      { id: before._id, origin: 'event' },
    ]);
  });
});

describe('a replay', () => {
  it('is a new delivery of the same event, which is kept for as long as a new one', async () => {
    const before = await webhooks.pending(subscription, { status: 'succeeded', url: 'https://old.example' });
    webhooks.clock.advance(1000);
    const id = newId();
    expect(await deliveries.replay(scope, before._id, id)).toMatchObject({
      id,
      webhook_id: subscription._id,
      event_id: before.event_id,
      event_type: before.event_type,
      url: subscription.url,
      attempt: 1,
      status: 'pending',
      origin: 'replay',
      next_attempt_at: isoNow(),
    });
    expect((await event(before.event_id))?.expires_at).toEqual(new Date(now() + EVENT_LIFE_MS));
    // The first is for one that is stored by a process which ends right then.
    expect(woken).toEqual([
      { afterMs: 10_000, stored: 1 },
      { afterMs: 0, stored: 2 },
    ]);
    // The same request once more.
    expect(await deliveries.replay(scope, before._id, id)).toMatchObject({ id, status: 'pending' });
    expect(await webhooks.deliveries.countDocuments()).toBe(2);
  });

  it.each([
    ['is gone', undefined, 'The subscription is gone.'],
    ['is switched off', { is_active: false }, 'The subscription is switched off.'],
  ])('is skipped when the subscription %s', async (_what, change, error) => {
    const before = await webhooks.pending(subscription, { url: 'https://old.example' });
    const mine = { _id: subscription._id };
    if (change) await webhooks.subscriptions.updateOne(mine, { $set: change });
    else await webhooks.subscriptions.deleteOne(mine);
    expect(await deliveries.replay(scope, before._id, newId())).toMatchObject({
      status: 'skipped',
      error,
      url: change ? subscription.url : 'https://old.example',
    });
  });

  it('is 404 for a delivery of nobody or of others, and for an event that is not kept', async () => {
    const before = await webhooks.pending(subscription);
    const refusal = { code: 'delivery_not_found' };
    await expect(deliveries.replay(scope, newId(), newId())).rejects.toMatchObject(refusal);
    const live = { ...scope, sandbox: false };
    await expect(deliveries.replay(live, before._id, newId())).rejects.toMatchObject(refusal);
    await webhooks.events.deleteOne({ _id: before.event_id });
    await expect(deliveries.replay(scope, before._id, newId())).rejects.toMatchObject(refusal);
    expect(await webhooks.deliveries.countDocuments()).toBe(1);
  });
});

describe('a test', () => {
  it('is an event of its own, and a delivery to this subscription', async () => {
    const id = newId();
    const shown = await deliveries.test(scope, subscription._id, id, {
      event_type: 'call.started',
      payload: { hello: 'world' },
    });
    expect(shown).toMatchObject({
      id,
      webhook_id: subscription._id,
      event_type: 'call.started',
      url: subscription.url,
      origin: 'test',
      status: 'pending',
      attempt: 1,
    });
    const stored = await event(shown.event_id);
    expect(stored).toMatchObject({
      tenant_id: scope.tenant,
      sandbox: true,
      type: 'call.started',
      fanned_out: true,
      created_at: new Date(now()),
      expires_at: new Date(now() + EVENT_LIFE_MS),
    });
    expect(JSON.parse(stored!.body)).toMatchObject({ event_id: shown.event_id, data: { hello: 'world' } });
    expect(woken.at(-1)).toEqual({ afterMs: 0, stored: 1 });
  });

  it('once more under the same id is the same one', async () => {
    const [id, fire] = [newId(), { event_type: 'call.started' as const }];
    const first = await deliveries.test(scope, subscription._id, id, fire);
    expect(JSON.parse((await event(first.event_id))!.body).data).toEqual(exampleData('call.started'));
    expect(await deliveries.test(scope, subscription._id, id, fire)).toEqual(first);
    expect(await webhooks.events.countDocuments()).toBe(1);
  });

  it('fails with the store, and is then not sent', async () => {
    const insert = vi.spyOn(webhooks.events, 'insertOne');
    insert.mockRejectedValueOnce(new Error('the store is away'));
    const fire = { event_type: 'call.started' as const };
    await expect(deliveries.test(scope, subscription._id, newId(), fire)).rejects.toThrow('away');
    insert.mockRestore();
    expect([await webhooks.deliveries.countDocuments(), woken]).toEqual([0, []]);
  });

  it('shows what became of it meanwhile', async () => {
    const row = await webhooks.pending(subscription, { status: 'succeeded', origin: 'test' });
    const fire = { event_type: 'call.started' as const };
    expect(await deliveries.test(scope, subscription._id, row._id, fire)).toMatchObject({
      id: row._id,
      status: 'succeeded',
    });
  });

  it('is 404 for a subscription of nobody', async () => {
    const fire = { event_type: 'call.started' as const };
    await expect(deliveries.test(scope, newId(), newId(), fire)).rejects.toMatchObject({
      code: 'webhook_not_found',
    });
    expect(await webhooks.events.countDocuments()).toBe(0);
  });
});

describe('what waits for a subscription', () => {
  it('is skipped with the reason; nothing else is', async () => {
    const waiting = await webhooks.pending(subscription, { lease_owner: 'a sender' });
    const sent = await webhooks.pending(subscription, { status: 'succeeded' });
    const other = await webhooks.pending(await webhooks.subscription());
    await deliveries.skipPending({ ...scope, sandbox: false }, subscription._id, 'wrong');
    await deliveries.skipPending(scope, subscription._id, 'why');
    const rows = await webhooks.deliveries.find({}, { status: 1, error: 1, lease_owner: 1 }).lean();
    expect(rows).toEqual(
      expect.arrayContaining([
        { _id: waiting._id, status: 'skipped', error: 'why', lease_owner: null },
        { _id: sent._id, status: 'succeeded', error: null, lease_owner: null },
        { _id: other._id, status: 'pending', error: null, lease_owner: null },
      ]),
    );
  });
});
