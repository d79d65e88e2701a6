import { derivedId } from '@voice/shared/ids/ids';
import { type Connection, type Model, Schema } from 'mongoose';
import type { EventRow } from '../events/model.js';
import type { SubscriptionRow } from '../subscriptions/subscription-model.js';

/** How long an event waits for its listener, in ms. A listener that is gone for longer has nothing to come back to. */
const LISTENER_EVENT_LIFE_MS = 10 * 60_000;

/** An event that waits to be sent to a listener; deleted when the listener has answered. */
export interface ListenerEventRow {
  /** Derived from event and listener: an event that is fanned out again waits once. */
  _id: string;
  tenant_id: string;
  sandbox: boolean;
  listener_id: string;
  event_id: string;
  event_type: string;
  /** The call that the event is of, and its place among that call's events (`event-order.ts`). */
  subject: string | null;
  rank: number;
  created_at: Date;
  expires_at: Date;
}

export type ListenerEventModel = Model<ListenerEventRow>;

const listenerEventSchema = new Schema<ListenerEventRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    sandbox: { type: Boolean, required: true },
    listener_id: { type: String, required: true },
    event_id: { type: String, required: true },
    event_type: { type: String, required: true },
    subject: { type: String, default: null },
    rank: { type: Number, default: 0 },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  {
    versionKey: false,
    autoIndex: false,
    autoCreate: false,
    strict: 'throw',
    collection: 'webhook_listener_events',
  },
);
listenerEventSchema.index({ listener_id: 1, created_at: 1, rank: 1 });
listenerEventSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

export function listenerEventModel(store: Connection): ListenerEventModel {
  return store.model<ListenerEventRow>('WebhookListenerEvent', listenerEventSchema);
}

/** Builds the row by which an event waits for a listener. `now` is epoch ms. */
export function waitingEvent(
  event: EventRow,
  listener: Pick<SubscriptionRow, '_id'>,
  now: number,
): ListenerEventRow {
  return {
    _id: derivedId(event._id, `listener:${listener._id}`),
    tenant_id: event.tenant_id,
    sandbox: event.sandbox,
    listener_id: listener._id,
    event_id: event._id,
    event_type: event.type,
    subject: event.subject ?? null,
    rank: event.rank ?? 0,
    created_at: new Date(now),
    expires_at: new Date(now + LISTENER_EVENT_LIFE_MS),
  };
}
