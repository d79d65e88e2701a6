import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId, newTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import { ensureIndexes, startTestStore } from '../../testing/store.js';
import {
  type DeliveryModel,
  type DeliveryRow,
  deliveryModel,
  pendingDelivery,
} from '../deliveries/delivery-model.js';
import { type EventModel, type EventRow, eventModel } from '../events/model.js';
import {
  type SubscriptionModel,
  type SubscriptionRow,
  subscriptionModel,
} from '../subscriptions/subscription-model.js';
import { sealedFor } from '../subscriptions/subscriptions.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What webhooks keep in a store, without the control plane around it. Times are of its scripted clock. */
export interface StoredWebhooks {
  readonly connection: Connection;
  readonly clock: ScriptedClock;
  readonly secrets: SecretBox;
  readonly deliveries: DeliveryModel;
  readonly subscriptions: SubscriptionModel;
  readonly events: EventModel;
  /** Removes what the last test left, and begins with a new tenant. */
  reset(): Promise<TenantId>;
  /** Stores a subscription of the tenant: to everything of the sandbox, under the secret `whsec_x`. */
  subscription(fields?: Partial<SubscriptionRow>): Promise<SubscriptionRow>;
  /** Makes an event of the tenant's sandbox, without storing it. */
  event(fields?: Partial<EventRow>): EventRow;
  /** Makes the first attempt of an event, without storing it. */
  delivery(subscription: SubscriptionRow, event: EventRow, fields?: Partial<DeliveryRow>): DeliveryRow;
  /** Stores an event and the first attempt of it. */
  pending(subscription: SubscriptionRow, fields?: Partial<DeliveryRow>): Promise<DeliveryRow>;
  close(): Promise<void>;
}

export async function startStoredWebhooks(): Promise<StoredWebhooks> {
  const store = await startTestStore();
  const connection = await store.connect();
  const clock = new ScriptedClock();
  const secrets = new SecretBox('a key for secrets at rest, for tests');
  const [deliveries, subscriptions] = [deliveryModel(connection), subscriptionModel(connection)];
  const events = eventModel(connection);
  await ensureIndexes(connection);
  let tenant = newTenantId();

  const event = (fields: Partial<EventRow> = {}): EventRow => ({
    _id: newId(),
    tenant_id: tenant,
    type: 'agent.activated',
    sandbox: true,
    body: '{"hello":"world"}',
    fanned_out: false,
    created_at: new Date(clock.now()),
    expires_at: new Date(clock.now() + DAY_MS),
    ...fields,
  });
  const delivery: StoredWebhooks['delivery'] = (subscription, { _id, type }, fields = {}) => ({
    ...pendingDelivery({
      _id: newId(),
      tenant_id: subscription.tenant_id,
      subscription_id: subscription._id,
      event_id: _id,
      event_type: type,
      sandbox: subscription.sandbox,
      origin: 'event',
      url: subscription.url,
      attempt: 1,
      dueAt: clock.now(),
      firstDueAt: clock.now(),
      now: clock.now(),
    }),
    ...fields,
  });

  return {
    connection,
    clock,
    secrets,
    deliveries,
    subscriptions,
    events,
    async reset() {
      for (const model of [deliveries, subscriptions, events]) await model.collection.deleteMany({});
      tenant = newTenantId();
      return tenant;
    },
    async subscription(fields = {}) {
      const id = newId();
      const row: SubscriptionRow = {
        _id: id,
        tenant_id: tenant,
        kind: 'subscription',
        url: `https://receiver.example/${id}`,
        event_types: ['*'],
        sandbox: true,
        is_active: true,
        description: '',
        secret: secrets.seal(sealedFor(id), 'whsec_x'),
        created_at: new Date(clock.now()),
        updated_at: new Date(clock.now()),
        ...fields,
      };
      await subscriptions.insertMany([row]);
      return row;
    },
    event,
    delivery,
    async pending(subscription, fields = {}) {
      const of = event();
      await events.insertMany([of]);
      const row = delivery(subscription, of, fields);
      await deliveries.insertMany([row]);
      return row;
    },
    close: () => store.close(),
  };
}
