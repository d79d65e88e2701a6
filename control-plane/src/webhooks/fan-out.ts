import type { Clock } from '@voice/shared/clock/clock';
import { derivedId } from '@voice/shared/ids/ids';
import type { EventRow } from '../events/model.js';
import type { FanOut } from '../events/stored-tenant-events.js';
import { type DeliveryModel, pendingDelivery } from './delivery-model.js';
import { insertMissing } from './insert-missing.js';
import type { SubscriptionModel, SubscriptionRow } from './subscription-model.js';

interface FanOutDeps {
  readonly subscriptions: SubscriptionModel;
  readonly deliveries: DeliveryModel;
  readonly clock: Clock;
  /** Told when there is something to send. */
  readonly wake: () => void;
}

/** One delivery row for each subscription that opted into the event: the first attempt, due at once. */
export function createFanOut({ subscriptions, deliveries, clock, wake }: FanOutDeps): FanOut {
  return async (event: EventRow) => {
    const hearers = await subscriptions
      .find(
        {
          tenant_id: event.tenant_id,
          sandbox: event.sandbox,
          is_active: true,
          event_types: { $in: ['*', event.type] },
        },
        { url: 1 },
      )
      .lean<Pick<SubscriptionRow, '_id' | 'url'>[]>();
    if (hearers.length === 0) return;
    const now = clock.now();
    await insertMissing(
      deliveries,
      hearers.map((subscription) =>
        pendingDelivery({
          _id: firstDeliveryId(event._id, subscription._id),
          tenant_id: event.tenant_id,
          subscription_id: subscription._id,
          event_id: event._id,
          event_type: event.type,
          sandbox: event.sandbox,
          origin: 'event',
          url: subscription.url,
          attempt: 1,
          dueAt: now,
          firstDueAt: now,
          now,
        }),
      ),
    );
    wake();
  };
}

/** The same for the same event and subscription, so that fanning out again adds nothing. */
export function firstDeliveryId(eventId: string, subscriptionId: string): string {
  return derivedId(eventId, `delivery:${subscriptionId}`);
}
