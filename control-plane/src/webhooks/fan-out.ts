import type { Clock } from '@voice/shared/clock/clock';
import { derivedId } from '@voice/shared/ids/ids';
import type { EventRow } from '../events/model.js';
import type { FanOut } from '../events/stored-tenant-events.js';
import { insertMissing } from '../store/insert-missing.js';
import { type DeliveryModel, type DeliveryRow, destinationOf, pendingDelivery } from './delivery-model.js';
import type { Attempt, DeliveryQueue, Lease } from './delivery-queue.js';
import type { SubscriptionModel, SubscriptionRow } from './subscription-model.js';

/** Where first attempts are handed to when there is room for them right now. */
export interface Outlet {
  hasRoom(destination: string): boolean;
  take(attempts: readonly Attempt[]): void;
  /** There is something due in the store. */
  wake(): void;
}

interface FanOutDeps {
  readonly subscriptions: SubscriptionModel;
  readonly deliveries: DeliveryModel;
  readonly queue: DeliveryQueue;
  readonly clock: Clock;
  readonly outlet: Outlet;
}

interface First {
  readonly row: DeliveryRow;
  readonly event: EventRow;
  readonly receiver: SubscriptionRow;
}

/**
 * One delivery row for each subscription that opted into the event: the first attempt, due at once. Where
 * this replica has room, the row is inserted as claimed by it, which spares the claim.
 */
export function createFanOut({ subscriptions, deliveries, queue, clock, outlet }: FanOutDeps): FanOut {
  const first = (event: EventRow, receiver: SubscriptionRow, lease: Lease): First => {
    const now = clock.now();
    const row = pendingDelivery({
      _id: firstDeliveryId(event._id, receiver._id),
      tenant_id: event.tenant_id,
      subscription_id: receiver._id,
      event_id: event._id,
      event_type: event.type,
      sandbox: event.sandbox,
      origin: 'event',
      url: receiver.url,
      attempt: 1,
      dueAt: now,
      firstDueAt: now,
      now,
    });
    const here = outlet.hasRoom(destinationOf(event.tenant_id, receiver.url));
    return {
      row: here ? { ...row, lease_owner: lease.owner, lease_until: new Date(lease.until) } : row,
      event,
      receiver,
    };
  };

  return {
    async hearersOf(events) {
      const active = await subscriptions
        .find({ tenant_id: { $in: [...new Set(events.map((event) => event.tenant_id))] }, is_active: true })
        .lean<SubscriptionRow[]>();
      return events.map((event) => active.filter((subscription) => hears(subscription, event)));
    },

    async deliver(told) {
      const lease = queue.newLease();
      const firsts = told.flatMap(({ event, hearers }) =>
        hearers.map((receiver) => first(event, receiver, lease)),
      );
      const inserted = new Set(
        await insertMissing(
          deliveries,
          firsts.map(({ row }) => row),
        ),
      );
      const added = firsts.filter(({ row }) => inserted.has(row));
      const here = added.filter(({ row }) => row.lease_owner !== null);
      outlet.take(here.map(({ row, event, receiver }) => queue.attemptOf(row, receiver, event.body, lease)));
      if (added.length > here.length) outlet.wake();
    },
  };
}

/** Same tenant, same mode, and opted into. Pure. */
export function hears(
  subscription: Pick<SubscriptionRow, 'tenant_id' | 'sandbox' | 'event_types'>,
  event: Pick<EventRow, 'tenant_id' | 'sandbox' | 'type'>,
): boolean {
  return (
    subscription.tenant_id === event.tenant_id &&
    subscription.sandbox === event.sandbox &&
    (subscription.event_types.includes('*') || subscription.event_types.includes(event.type))
  );
}

/** The same for the same event and subscription, so that fanning out again adds nothing. */
export function firstDeliveryId(eventId: string, subscriptionId: string): string {
  return derivedId(eventId, `delivery:${subscriptionId}`);
}
