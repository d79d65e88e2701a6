import type { Clock } from '@voice/shared/clock/clock';
import { derivedId } from '@voice/shared/ids/ids';
import { insertMissing } from '../../platform/store/insert-missing.js';
import type { EventRow } from '../events/model.js';
import type { SubscriptionModel, SubscriptionRow } from '../subscriptions/subscription-model.js';
import { SWITCHED_OFF } from '../subscriptions/subscription-model.js';
import { type DeliveryModel, type DeliveryRow, destinationOf, pendingDelivery } from './delivery-model.js';
import { findEarlier, isOvertaking } from './delivery-order.js';
import type { Attempt, DeliveryQueue, Lease } from './delivery-queue.js';
import type { FanOut } from './stored-tenant-events.js';

/** First attempts of a tenant that are claimed in one go; the others wait in the store until there is room for them. */
const MOST_CLAIMED_OF_TENANT = 256;

/** Where first attempts are handed to when there is room for them right now. */
export interface Outlet {
  hasRoom(destination: string): boolean;
  /** Takes on claimed attempts, or gives them back: it may have stopped since it had room. */
  take(attempts: readonly Attempt[]): Promise<void>;
  /** Returns whether this delivery is under way or waiting here. */
  holds(deliveryId: string): boolean;
  /** Something is due in the store for these destinations. */
  due(destinations: Iterable<string>): Promise<void>;
}

/** Where events go that a listener opted into. */
export interface ListenerOutlet {
  queue(waiting: readonly { readonly event: EventRow; readonly listener: SubscriptionRow }[]): Promise<void>;
}

interface FanOutOptions {
  readonly subscriptions: SubscriptionModel;
  readonly deliveries: DeliveryModel;
  readonly queue: DeliveryQueue;
  readonly clock: Clock;
  readonly outlet: Outlet;
  readonly listeners: ListenerOutlet;
}

interface First {
  readonly row: DeliveryRow;
  readonly event: EventRow;
  readonly receiver: SubscriptionRow;
}

/**
 * Returns one delivery row for each subscription that opted into the event: the first attempt, due at once. Where this
 * replica has room, the row is inserted as claimed by it, which spares the claim. Of a subscription that is switched
 * off it is skipped: the tenant sees what was not sent, and can have it replayed. What listeners opted into goes to their
 * outlet: it is sent once, and is no delivery that is kept.
 */
export function createFanOut(options: FanOutOptions): FanOut {
  const { subscriptions, deliveries, queue, clock, outlet, listeners } = options;
  const first = (event: EventRow, receiver: SubscriptionRow): First => {
    const now = clock.now();
    const row = pendingDelivery({
      _id: firstDeliveryId(event._id, receiver._id),
      tenant_id: event.tenant_id,
      subscription_id: receiver._id,
      event_id: event._id,
      event_type: event.type,
      sandbox: event.sandbox,
      call_id: event.subject ?? null,
      subject: event.subject ?? null,
      rank: event.rank ?? 0,
      origin: 'event',
      url: receiver.url,
      attempt: 1,
      dueAt: now,
      firstDueAt: now,
      now,
    });
    return receiver.is_active
      ? { row, event, receiver }
      : { row: { ...row, status: 'skipped', error: SWITCHED_OFF }, event, receiver };
  };

  /** Claims the rows that this replica has room for, but none that would overtake one in other hands. */
  const claimed = async (firsts: readonly First[], lease: Lease): Promise<First[]> => {
    const inOrder = [...firsts].sort((a, b) => (a.row.rank ?? 0) - (b.row.rank ?? 0));
    const earlier = await findEarlier(
      deliveries,
      inOrder.map(({ row }) => row),
    );
    const ofTenants = new Map<string, number>();
    return inOrder.map((one) => {
      const { row } = one;
      const count = ofTenants.get(row.tenant_id) ?? 0;
      const here =
        row.status === 'pending' &&
        count < MOST_CLAIMED_OF_TENANT &&
        outlet.hasRoom(destinationOf(row.tenant_id, row.url)) &&
        !isOvertaking(row, earlier, (id) => outlet.holds(id));
      if (!here) return one;
      ofTenants.set(row.tenant_id, count + 1);
      return { ...one, row: { ...row, lease_owner: lease.owner, lease_until: new Date(lease.until) } };
    });
  };

  /** Returns where those of the rows go that nobody holds: who inserted them may have ended before its outlet knew. */
  const leftUnclaimed = async (rows: readonly DeliveryRow[]): Promise<string[]> => {
    if (rows.length === 0) return [];
    const left = await deliveries
      .find(
        {
          tenant_id: { $in: [...new Set(rows.map(({ tenant_id }) => tenant_id))] },
          _id: { $in: rows.map(({ _id }) => _id) },
          status: 'pending',
          lease_owner: null,
        },
        { destination: 1 },
      )
      // Most of what was ever sent has no lease either.
      .hint({ _id: 1 })
      .lean<Pick<DeliveryRow, 'destination'>[]>();
    return left.map(({ destination }) => destination);
  };

  return {
    async subscribersOf(events) {
      const known = await subscriptions
        .find({ tenant_id: { $in: [...new Set(events.map((event) => event.tenant_id))] } })
        .lean<SubscriptionRow[]>();
      const present = known.filter((subscription) => isPresent(subscription, clock.now()));
      return events.map((event) => present.filter((subscription) => matches(subscription, event)));
    },

    async deliver(addressed) {
      const pairs = addressed.flatMap(({ event, subscribers }) =>
        subscribers.map((receiver) => ({ event, receiver })),
      );
      const listened = pairs.filter(({ receiver }) => receiver.kind === 'listener');
      if (listened.length > 0) {
        await listeners.queue(listened.map(({ event, receiver }) => ({ event, listener: receiver })));
      }
      const lease = queue.newLease();
      const firsts = await claimed(
        pairs
          .filter(({ receiver }) => receiver.kind !== 'listener')
          .map(({ event, receiver }) => first(event, receiver)),
        lease,
      );
      const inserted = new Set(
        await insertMissing(
          deliveries,
          firsts.map(({ row }) => row),
        ),
      );
      const added = firsts.filter(({ row }) => inserted.has(row));
      const here = added.filter(({ row }) => row.lease_owner !== null);
      await outlet.take(
        await queue.signed(
          here.map(({ row, event, receiver }) => ({ delivery: row, receiver, body: event.body })),
          lease,
        ),
      );
      const waiting = added.filter(({ row }) => row.status === 'pending' && row.lease_owner === null);
      const known = firsts.flatMap(({ row }) => (inserted.has(row) ? [] : [row]));
      const due = new Set([...waiting.map(({ row }) => row.destination), ...(await leftUnclaimed(known))]);
      if (due.size > 0) await outlet.due(due);
    },
  };
}

/** Same tenant, same mode, and opted into. Pure. */
export function matches(
  subscription: Pick<SubscriptionRow, 'tenant_id' | 'sandbox' | 'event_types'>,
  event: Pick<EventRow, 'tenant_id' | 'sandbox' | 'type'>,
): boolean {
  return (
    subscription.tenant_id === event.tenant_id &&
    subscription.sandbox === event.sandbox &&
    (subscription.event_types.includes('*') || subscription.event_types.includes(event.type))
  );
}

/** Whether it is still there at a time (epoch ms): a listener is not once its time is over. Pure. */
function isPresent({ kind, expires_at }: Pick<SubscriptionRow, 'kind' | 'expires_at'>, now: number): boolean {
  return kind !== 'listener' || (expires_at !== undefined && expires_at.getTime() > now);
}

/** Returns the same id for the same event and subscription, so that fanning out again adds nothing. */
export function firstDeliveryId(eventId: string, subscriptionId: string): string {
  return derivedId(eventId, `delivery:${subscriptionId}`);
}
