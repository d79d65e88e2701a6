import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventRow } from '../events/model.js';
import type { SubscriptionRow } from '../subscriptions/subscription-model.js';
import { type StoredWebhooks, startStoredWebhooks } from '../testing/stored-webhooks.js';
import { type DeliveryRow, destinationOf } from './delivery-model.js';
import { type Attempt, DeliveryQueue, LEASE_MS } from './delivery-queue.js';
import { createFanOut, firstDeliveryId, matches } from './fan-out.js';
import type { FanOut } from './stored-tenant-events.js';

let webhooks: StoredWebhooks;
let fanOut: FanOut;
let subscription: SubscriptionRow;
/** What this replica's loop has room for and holds, and what it was given. */
let room: boolean;
let held: Set<string>;
let taken: Attempt[];
let woken: number;
let wokenFor: string[];
/** Ids of the events that went to listeners. */
let listened: string[];

beforeAll(async () => {
  webhooks = await startStoredWebhooks();
  const outlet = {
    hasRoom: () => room,
    holds: (id: string) => held.has(id),
    take: async (attempts: readonly Attempt[]) => void taken.push(...attempts),
    due: async (destinations: Iterable<string>) => {
      woken += [...destinations].length;
      wokenFor.push(...destinations);
    },
  };
  fanOut = createFanOut({
    ...webhooks,
    outlet,
    listeners: { queue: async (waiting) => void listened.push(...waiting.map(({ event }) => event._id)) },
    queue: new DeliveryQueue({ ...webhooks, random: () => 0.5, schedule: async () => {} }),
  });
});
beforeEach(async () => {
  await webhooks.reset();
  wokenFor = [];
  [room, held, taken, woken, listened] = [true, new Set(), [], 0, []];
  subscription = await webhooks.subscription();
});
afterAll(() => webhooks?.close());

const now = () => webhooks.clock.now();
const rows = () => webhooks.deliveries.find().sort({ rank: 1 }).lean<DeliveryRow[]>();
const deliver = (...events: EventRow[]) =>
  fanOut.deliver(events.map((event) => ({ event, subscribers: [subscription] })));

describe('the subscribers of an event', () => {
  const both = { tenant_id: 'a tenant', sandbox: true };

  it.each([
    ['all types', ['*'], true],
    ['its type among others', ['call.started', 'call.hangup'], true],
    ['other types', ['call.started'], false],
  ])('are those that opted into %s', (_what, event_types, expected) => {
    expect(matches({ ...both, event_types }, { ...both, type: 'call.hangup' })).toBe(expected);
  });

  it.each([{ tenant_id: 'another' }, { sandbox: false }])('are none with %j', (other) => {
    const event = { ...both, type: 'call.hangup' };
    expect(matches({ ...both, ...other, event_types: ['*'] }, event)).toBe(false);
    expect(matches({ ...both, ...other, event_types: ['call.hangup'] }, event)).toBe(false);
  });

  it('are found for each event, in the order of the events', async () => {
    const live = await webhooks.subscription({ sandbox: false });
    const hangup = await webhooks.subscription({ event_types: ['call.hangup'] });
    const found = await fanOut.subscribersOf([
      webhooks.event({ type: 'call.hangup' }),
      webhooks.event({ sandbox: false }),
      webhooks.event({ tenant_id: 'another tenant' }),
      webhooks.event(),
    ]);
    const ids = found.map((each) => each.map(({ _id }) => _id).sort());
    expect(ids).toEqual([[subscription._id, hangup._id].sort(), [live._id], [], [subscription._id]]);
  });
});

describe('the first delivery of an event', () => {
  it('is claimed by this replica where it has room', async () => {
    const event = webhooks.event({ subject: 'a call', rank: 2, type: 'call.hangup' });
    await deliver(event);
    const [row] = await rows();
    expect(row).toMatchObject({
      _id: firstDeliveryId(event._id, subscription._id),
      tenant_id: event.tenant_id,
      subscription_id: subscription._id,
      event_id: event._id,
      event_type: 'call.hangup',
      sandbox: true,
      call_id: 'a call',
      subject: 'a call',
      rank: 2,
      origin: 'event',
      url: subscription.url,
      attempt: 1,
      status: 'pending',
      due_at: new Date(now()),
      first_due_at: new Date(now()),
      lease_until: new Date(now() + LEASE_MS),
    });
    expect(taken).toMatchObject([
      { delivery: { _id: row!._id }, url: subscription.url, secret: 'whsec_x', body: event.body },
    ]);
    expect(taken[0]!.lease.owner).toBe(row!.lease_owner);
    expect(woken).toBe(0);
  });

  it('fails where the secret of its webhook cannot be opened, and those to others go', async () => {
    const broken = await webhooks.subscription({ secret: 'not a sealed secret' });
    const event = webhooks.event();
    await fanOut.deliver([{ event, subscribers: [broken, subscription] }]);
    expect(taken.map(({ delivery }) => delivery.subscription_id)).toEqual([subscription._id]);
    expect(await webhooks.deliveries.findById(firstDeliveryId(event._id, broken._id)).lean()).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('secret_unreadable'),
    });
  });

  it('waits in the store behind 256 of the same tenant, and the loop is woken', async () => {
    await deliver(...Array.from({ length: 260 }, () => webhooks.event()));
    expect([taken.length, woken]).toEqual([256, 1]);
    expect((await rows()).filter(({ lease_owner }) => lease_owner === null)).toHaveLength(4);
  });

  it('waits in the store where there is no room, and the loop is woken', async () => {
    room = false;
    await deliver(webhooks.event());
    expect(await rows()).toMatchObject([
      { status: 'pending', subject: null, rank: 0, lease_owner: null, lease_until: new Date(0) },
    ]);
    expect([taken, woken]).toEqual([[], 1]);
  });

  it('is skipped for a subscription that is switched off', async () => {
    subscription = await webhooks.subscription({ is_active: false });
    await deliver(webhooks.event());
    expect(await rows()).toMatchObject([
      { status: 'skipped', error: 'The subscription is switched off.', lease_owner: null },
    ]);
    expect([taken, woken]).toEqual([[], 0]);
  });

  it('is made once for each subscription, also when the event is fanned out again', async () => {
    const event = webhooks.event();
    const other = await webhooks.subscription();
    await deliver(event);
    await fanOut.deliver([{ event, subscribers: [subscription, other] }]);
    expect((await rows()).map((row) => row.subscription_id).sort()).toEqual(
      [subscription._id, other._id].sort(),
    );
    expect(taken.map(({ url }) => url)).toEqual([subscription.url, other.url]);
    room = false;
    await deliver(event);
    expect([taken.length, woken]).toEqual([2, 0]);
  });

  it('that an earlier fan-out left unclaimed wakes the loop where it goes, until somebody has it', async () => {
    const [event, another] = [webhooks.event(), webhooks.event()];
    room = false;
    await deliver(event);
    const moved = { ...subscription, url: 'https://moved.example' };
    await fanOut.deliver([event, another].map((each) => ({ event: each, subscribers: [moved] })));
    const [here, there] = [subscription, moved].map(({ tenant_id, url }) => destinationOf(tenant_id, url));
    expect(wokenFor).toEqual([here, there, here]);
    woken = 0;
    await webhooks.deliveries.updateMany({}, { $set: { lease_owner: 'another replica' } });
    await deliver(event, another);
    await webhooks.deliveries.updateMany({}, { $set: { lease_owner: null, status: 'succeeded' } });
    await deliver(event, another);
    expect([taken, woken]).toEqual([[], 0]);
  });

  it('has an id of its own for each event and subscription', () => {
    const [event, other] = [newId(), newId()];
    const id = firstDeliveryId(event, 'a');
    expect(firstDeliveryId(event, 'a')).toBe(id);
    expect(new Set([id, firstDeliveryId(event, 'b'), firstDeliveryId(other, 'a')]).size).toBe(3);
  });
});

describe('a listener', () => {
  const expiring = (ms: number) => ({ kind: 'listener' as const, expires_at: new Date(now() + ms) });

  it('is a subscriber until its time is over', async () => {
    const [present] = [await webhooks.subscription(expiring(1)), await webhooks.subscription(expiring(0))];
    const [found] = await fanOut.subscribersOf([webhooks.event()]);
    expect(found!.map(({ _id }) => _id).sort()).toEqual([subscription._id, present!._id].sort());
  });

  it('gets an event without a delivery', async () => {
    const event = webhooks.event();
    await fanOut.deliver([{ event, subscribers: [await webhooks.subscription(expiring(1))] }]);
    expect([listened, await rows(), taken]).toEqual([[event._id], [], []]);
  });
});

describe('the events of one call', () => {
  const ranked = (rank: number) => webhooks.event({ subject: 'a call', rank });

  it('are taken in their order', async () => {
    await deliver(ranked(6), ranked(3), ranked(8));
    expect(taken.map(({ delivery }) => delivery.rank)).toEqual([3, 6, 8]);
  });

  it('wait while an earlier one is in other hands, and not when it is held here', async () => {
    const other = { subject: 'a call', rank: 2, lease_until: new Date(now() + LEASE_MS) };
    const earlier = await webhooks.pending(subscription, other);
    await deliver(ranked(3));
    expect([taken, woken]).toEqual([[], 1]);
    await webhooks.deliveries.deleteMany({ rank: 3 });
    held.add(earlier._id);
    await deliver(ranked(6));
    expect(taken.map(({ delivery }) => delivery.rank)).toEqual([6]);
  });
});
