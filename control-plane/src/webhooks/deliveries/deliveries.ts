import type { Clock } from '@voice/shared/clock/clock';
import { derivedId } from '@voice/shared/ids/ids';
import { apiError } from '../../platform/http/error-codes.js';
import { isDuplicateKey } from '../../platform/http/errors.js';
import { after, type CursorCodec, NEWEST_FIRST, pageOf } from '../../platform/http/pagination.js';
import { insertMissing } from '../../platform/store/insert-missing.js';
import { ScopedCollection } from '../../platform/store/tenant-collection.js';
import { ownedBy, scopeName, type TenantScope } from '../../platform/store/tenant-scope.js';
import { exampleData } from '../events/catalog.js';
import { envelopeOf } from '../events/envelope.js';
import { EVENT_LIFE_MS, type EventModel } from '../events/model.js';
import type {
  CallDeliveriesResponse,
  DeliveryDetail,
  DeliveryResponse,
  TestFireRequest,
} from '../schemas.js';
import type { SubscriptionRow } from '../subscriptions/subscription-model.js';
import { SWITCHED_OFF } from '../subscriptions/subscription-model.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';
import { DELIVERY_LIFE_MS, type DeliveryModel, type DeliveryRow, pendingDelivery } from './delivery-model.js';

interface DeliveriesOptions {
  readonly deliveries: DeliveryModel;
  readonly events: EventModel;
  readonly subscriptions: Subscriptions;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  /** Has what waits for the destination sent at `at`, in epoch ms. */
  readonly due: (destination: string, at: number) => Promise<void>;
}

/** When a delivery is looked for whose process ended between storing it and saying so, in ms. */
const CUT_SHORT_MS = 10_000;

export interface DeliveriesPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** What tenants see and ask of deliveries: the list, replays and tests. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #rows: ScopedCollection<DeliveryRow>;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.#rows = new ScopedCollection(options.deliveries);
  }

  /** Lists the attempts of the last 30 days, newest first. */
  async list(scope: TenantScope, subscriptionId: string, limit: number): Promise<DeliveryResponse[]> {
    await this.#options.subscriptions.require(scope, subscriptionId);
    const rows = await this.#rows.findPage(
      scope,
      { subscription_id: subscriptionId, created_at: { $gt: this.#since() } },
      { sort: { created_at: -1, attempt: -1, _id: -1 }, limit },
    );
    return rows.map(present);
  }

  /**
   * Lists the attempts at the events of a call, to whatever subscription, newest first: those of the last 30 days. Whose
   * the call is decides the caller; another tenant's or mode's has none here.
   */
  async listOfCall(
    scope: TenantScope,
    callId: string,
    { limit, cursor }: DeliveriesPage,
  ): Promise<CallDeliveriesResponse> {
    const { cursors } = this.#options;
    const list = `deliveries/${scopeName(scope)}/${callId}`;
    const place = cursor === undefined ? undefined : after(cursors.decode(list, cursor));
    const rows = await this.#rows.findPage(
      scope,
      { call_id: callId, ...place, created_at: { $gt: this.#since(), ...place?.created_at } },
      { sort: NEWEST_FIRST, limit: limit + 1 },
    );
    const page = pageOf(rows, limit, (position) => cursors.encode(list, position));
    return {
      deliveries: page.rows.map(present),
      has_more: page.has_more,
      next_cursor: page.next_cursor,
    };
  }

  /** Returns a delivery with the bytes that are sent. Throws `delivery_not_found`. */
  async get(scope: TenantScope, deliveryId: string): Promise<DeliveryDetail> {
    const row = await this.#rows.findOne(scope, { _id: deliveryId });
    if (!row) throw apiError('delivery_not_found');
    const event = await this.#options.events
      .findOne({ _id: row.event_id, ...ownedBy(scope) }, { body: 1 })
      .lean<{ body: string }>();
    return { ...present(row), body: event?.body ?? null };
  }

  /** Sends the event of an earlier delivery again, in the same bytes. `id` becomes the new delivery's. */
  async replay(scope: TenantScope, deliveryId: string, id: string): Promise<DeliveryResponse> {
    const { events, subscriptions, clock } = this.#options;
    const before = await this.#rows.findOne(scope, { _id: deliveryId });
    if (!before) throw apiError('delivery_not_found');
    const now = clock.now();
    const kept = await events.updateOne(
      { _id: before.event_id, ...ownedBy(scope) },
      { $set: { expires_at: new Date(now + EVENT_LIFE_MS) } },
    );
    if (kept.matchedCount === 0) throw apiError('delivery_not_found');
    const subscription = await subscriptions.find(scope, before.subscription_id);
    return this.#add(scope, subscription, {
      _id: id,
      subscription_id: before.subscription_id,
      event_id: before.event_id,
      event_type: before.event_type,
      call_id: before.call_id ?? null,
      origin: 'replay',
      url: subscription?.url ?? before.url,
    });
  }

  /** Sends a made-up event to this subscription alone, whatever it opted into. */
  async test(
    scope: TenantScope,
    subscriptionId: string,
    id: string,
    { event_type: type, payload }: TestFireRequest,
  ): Promise<DeliveryResponse> {
    const { events, subscriptions, clock } = this.#options;
    const subscription = await subscriptions.require(scope, subscriptionId);
    const now = clock.now();
    const event = {
      id: derivedId(id, 'test event'),
      type,
      ...scope,
      occurredAt: now,
    };
    try {
      await events.insertOne({
        _id: event.id,
        ...ownedBy(scope),
        type,
        body: envelopeOf(event, payload ?? exampleData(type)),
        is_test: true,
        fanned_out: true,
        created_at: new Date(now),
        expires_at: new Date(now + EVENT_LIFE_MS),
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    return this.#add(scope, subscription, {
      _id: id,
      subscription_id: subscriptionId,
      event_id: event.id,
      event_type: type,
      origin: 'test',
      url: subscription.url,
    });
  }

  /** Nothing more is sent to a subscription that is gone or switched off. */
  async skipPending(scope: TenantScope, subscriptionId: string, reason: string): Promise<void> {
    await this.#options.deliveries.updateMany(
      { ...ownedBy(scope), subscription_id: subscriptionId, status: 'pending' },
      // The index of what is under way has nothing else in it.
      { $set: { status: 'skipped', error: reason, lease_owner: null } },
    );
  }

  /** Returns when the oldest deliveries that are shown were made. */
  #since(): Date {
    return new Date(this.#options.clock.now() - DELIVERY_LIFE_MS);
  }

  async #add(
    scope: TenantScope,
    subscription: SubscriptionRow | null,
    delivery: Pick<
      DeliveryRow,
      '_id' | 'subscription_id' | 'event_id' | 'event_type' | 'call_id' | 'origin' | 'url'
    >,
  ): Promise<DeliveryResponse> {
    const now = this.#options.clock.now();
    const row = pendingDelivery({
      ...delivery,
      ...ownedBy(scope),
      attempt: 1,
      dueAt: now,
      firstDueAt: now,
      now,
    });
    const nobody = !subscription ? 'The subscription is gone.' : subscription.is_active ? null : SWITCHED_OFF;
    // A job that waits for a retry of the destination would find it hours later.
    if (nobody === null) await this.#options.due(row.destination, now + CUT_SHORT_MS);
    await insertMissing<DeliveryRow>(this.#options.deliveries, [
      nobody === null ? row : { ...row, status: 'skipped', error: nobody },
    ]);
    if (nobody === null) await this.#options.due(row.destination, now);
    const added = await this.#rows.findOne(scope, { _id: row._id });
    return present(added ?? row);
  }
}

function present(row: DeliveryRow): DeliveryResponse {
  return {
    id: row._id,
    webhook_id: row.subscription_id,
    event_id: row.event_id,
    event_type: row.event_type,
    url: row.url,
    attempt: row.attempt,
    status: row.status,
    response_status: row.response_status,
    error: row.error,
    origin: row.origin,
    next_attempt_at: row.status === 'pending' ? row.due_at.toISOString() : null,
    created_at: row.created_at.toISOString(),
    delivered_at: row.delivered_at?.toISOString() ?? null,
  };
}
