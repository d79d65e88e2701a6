import { newId } from '@voice/shared/ids/ids';
import mongoose, { type Model } from 'mongoose';
import { describe, expect, it } from 'vitest';
import {
  DELIVERY_LIFE_MS,
  type DeliveryRow,
  deliveryModel,
  destinationOf,
  pendingDelivery,
} from './deliveries/delivery-model.js';
import { EVENT_LIFE_MS, type EventRow, eventModel } from './events/model.js';
import { listenerEventModel, waitingEvent } from './listeners/listener-event-model.js';
import { type SubscriptionRow, subscriptionModel } from './subscriptions/subscription-model.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Never connected: nothing here asks a store. */
const connection = mongoose.createConnection();
const deliveries = deliveryModel(connection);
const events = eventModel(connection);
const subscriptions = subscriptionModel(connection);
const listenerEvents = listenerEventModel(connection);

const delivery = pendingDelivery({
  _id: newId(),
  tenant_id: 'a tenant',
  subscription_id: 'a subscription',
  event_id: 'an event',
  event_type: 'call.started',
  sandbox: true,
  origin: 'event',
  url: 'https://receiver.example/',
  attempt: 1,
  dueAt: 2000,
  firstDueAt: 1000,
  now: 3000,
});
const event: EventRow = {
  _id: newId(),
  tenant_id: 'a tenant',
  type: 'call.started',
  sandbox: true,
  body: '{}',
  fanned_out: false,
  created_at: new Date(0),
  expires_at: new Date(0),
};
const subscription: SubscriptionRow = {
  _id: newId(),
  tenant_id: 'a tenant',
  kind: 'subscription',
  url: 'https://receiver.example/',
  event_types: ['*'],
  sandbox: true,
  is_active: true,
  description: '',
  secret: 'sealed',
  created_at: new Date(0),
  updated_at: new Date(0),
};

/** The names of the fields that are wrong. Throws for a field that the model does not know. */
async function wrongIn(model: Model<never>, row: object): Promise<string[]> {
  const document = new (model as unknown as Model<object>)(row);
  const refusal = await document.validate().catch((error: unknown) => error);
  return Object.keys((refusal as mongoose.Error.ValidationError | undefined)?.errors ?? {});
}

/** The models with a row of each, and the fields that may be left out. */
const models = [
  ['deliveries', deliveries, delivery, ['subject', 'rank']],
  ['events', events, event, []],
  ['subscriptions', subscriptions, subscription, ['description']],
  ['events of listeners', listenerEvents, waitingEvent(event, { _id: 'a listener' }, 1000), ['rank']],
] as unknown as [string, Model<never>, Record<string, unknown>, string[]][];

describe.each(models)('the model of %s', (_name, model, row, optional) => {
  it('takes a row, and none that lacks a field or has another', async () => {
    expect(await wrongIn(model, row)).toEqual([]);
    const filled = Object.keys(row).filter((field) => row[field] !== null && !optional.includes(field));
    for (const field of filled) {
      const { [field]: _, ...rest } = row;
      // A list that is left out is empty.
      expect(await wrongIn(model, rest)).toEqual(field === 'event_types' ? [] : [field]);
    }
    await expect(wrongIn(model, { ...row, another: 1 })).rejects.toThrow(/another/);
  });

  it('adds nothing to a row, and leaves collection and indexes to the start of the process', () => {
    expect(model.schema.get('versionKey')).toBe(false);
    expect(model.schema.get('autoIndex')).toBe(false);
    expect(model.schema.get('autoCreate')).toBe(false);
  });
});

describe('a stored field', () => {
  it.each([{ kind: 'config' }, { kind: 'listener' }, { kind: 'other' }])(
    'of a subscription: %j',
    async (fields) => {
      const known = fields.kind !== 'other';
      expect(await wrongIn(subscriptions as never, { ...subscription, ...fields })).toEqual(
        known ? [] : ['kind'],
      );
    },
  );

  it.each(['status', 'origin'])(
    '%s of a delivery has no other value than those that are known',
    async (field) => {
      expect(await wrongIn(deliveries as never, { ...delivery, [field]: 'other' })).toEqual([field]);
    },
  );

  it('that older rows lack has a default', () => {
    expect([new deliveries({}).rank, new events({}).rank]).toEqual([0, 0]);
    expect(new subscriptions({}).description).toBe('');
  });
});

describe('each query', () => {
  const indexesOf = (model: Model<never>) => model.schema.indexes();
  const expiry = [{ expires_at: 1 }, { expireAfterSeconds: 0 }];

  it('of deliveries has its index', () => {
    expect(deliveries.collection.collectionName).toBe('webhook_deliveries');
    expect(indexesOf(deliveries as never)).toEqual([
      // The list of a subscription's deliveries, the newest first.
      [{ tenant_id: 1, subscription_id: 1, created_at: -1, attempt: -1, _id: -1 }, {}],
      // The list of the deliveries of a call's events, the newest first.
      [
        { tenant_id: 1, call_id: 1, created_at: -1, _id: -1 },
        { partialFilterExpression: { call_id: { $gt: '' } } },
      ],
      // What is due.
      [{ status: 1, due_at: 1, destination: 1 }, {}],
      // What waits for a destination, and when the next of it is due.
      [{ destination: 1, due_at: 1 }, { partialFilterExpression: { status: 'pending' } }],
      // What waits for a subscription.
      [{ subscription_id: 1, status: 1 }, {}],
      // What is to be attempted before an event of the same call.
      [{ subject: 1, status: 1 }, { partialFilterExpression: { subject: { $gt: '' } } }],
      // What a round has claimed.
      [{ lease_owner: 1 }, {}],
      // What a sender that died has left; nothing but what is under way is in it.
      [{ lease_until: 1 }, { partialFilterExpression: { lease_owner: { $gt: '' } } }],
      // Next attempts that a crash left out.
      [{ next_due_at: 1 }, {}],
      expiry,
    ]);
  });

  it('of events has its index', () => {
    expect(events.collection.collectionName).toBe('events');
    expect(indexesOf(events as never)).toEqual([
      [{ tenant_id: 1, sandbox: 1, created_at: -1, _id: -1 }, {}],
      [{ fanned_out: 1, created_at: 1 }, {}],
      expiry,
    ]);
  });

  it('of subscriptions has its index', () => {
    expect(subscriptions.collection.collectionName).toBe('webhook_subscriptions');
    expect(indexesOf(subscriptions as never)).toEqual([
      [{ tenant_id: 1, kind: 1, created_at: -1, _id: -1 }, {}],
      [{ tenant_id: 1, sandbox: 1, is_active: 1 }, {}],
      // Listeners that are over; the other kinds have no such date.
      expiry,
    ]);
  });
});

describe('what waits for a listener', () => {
  it('is found by its listener in the order of its time, and ends', () => {
    expect(listenerEvents.collection.collectionName).toBe('webhook_listener_events');
    expect(listenerEvents.schema.indexes()).toEqual([
      [{ listener_id: 1, created_at: 1, rank: 1 }, {}],
      [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
    ]);
    expect(waitingEvent(event, { _id: 'a listener' }, 1000).expires_at).toEqual(new Date(601_000));
  });
});

describe('a new delivery', () => {
  it('is due at its time, claimed by nobody, and kept for 30 days', () => {
    expect(delivery).toMatchObject<Partial<DeliveryRow>>({
      destination: destinationOf('a tenant', 'https://receiver.example/'),
      call_id: null,
      subject: null,
      rank: 0,
      status: 'pending',
      first_due_at: new Date(1000),
      due_at: new Date(2000),
      created_at: new Date(3000),
      expires_at: new Date(3000 + 30 * DAY_MS),
      lease_owner: null,
      lease_until: new Date(0),
    });
  });

  it('shares its destination with those of the same tenant to the same URL', () => {
    expect(destinationOf('a', 'u')).toBe(destinationOf('a', 'u'));
    expect(new Set([destinationOf('a', 'u'), destinationOf('b', 'u'), destinationOf('a', 'v')]).size).toBe(3);
  });
});

describe('an event', () => {
  it('is kept for longer than its last attempt is shown', () => {
    expect([DELIVERY_LIFE_MS, EVENT_LIFE_MS]).toEqual([30 * DAY_MS, 32 * DAY_MS]);
  });
});
