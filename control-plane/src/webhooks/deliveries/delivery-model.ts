import { type Connection, type Model, Schema } from 'mongoose';

/** How long deliveries are shown, in ms (specification, section 8: "Delivery history"). */
export const DELIVERY_LIFE_MS = 30 * 24 * 60 * 60 * 1000;

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'skipped'] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why there is a delivery: the event itself, a replay of an earlier delivery, or a test. */
export const DELIVERY_ORIGINS = ['event', 'replay', 'test'] as const;
type DeliveryOrigin = (typeof DELIVERY_ORIGINS)[number];

/** One attempt to bring one event to one subscription. */
export interface DeliveryRow {
  /** Derived from what causes it, so that making it again makes the same one. */
  _id: string;
  tenant_id: string;
  subscription_id: string;
  event_id: string;
  event_type: string;
  sandbox: boolean;
  /** The call that the event is of, with every attempt and replay; null for what is of no call. */
  call_id?: string | null;
  /** Of a first attempt, which alone goes in order: that call, and the place among its events. */
  subject?: string | null;
  rank?: number;
  origin: DeliveryOrigin;
  /** Where it is sent, or was: attempts go where the subscription points when they are made. */
  url: string;
  /** Tenant and URL: attempts to the same one share their concurrency. */
  destination: string;
  /** 1 to 10. */
  attempt: number;
  /** When the first attempt of this delivery was due. */
  first_due_at: Date;
  status: DeliveryStatus;
  response_status: number | null;
  error: string | null;
  /** Not before then. */
  due_at: Date;
  lease_owner: string | null;
  /** Until then the owner alone sends it; in the past when nobody does. */
  lease_until: Date;
  /** When a failed attempt is to be followed by the next one; null once that row is there. */
  next_due_at: Date | null;
  created_at: Date;
  delivered_at: Date | null;
  expires_at: Date;
}

export type DeliveryModel = Model<DeliveryRow>;

const nullableDate = { type: Date, default: null };

const deliverySchema = new Schema<DeliveryRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    subscription_id: { type: String, required: true },
    event_id: { type: String, required: true },
    event_type: { type: String, required: true },
    sandbox: { type: Boolean, required: true },
    call_id: { type: String, default: null },
    subject: { type: String, default: null },
    rank: { type: Number, default: 0 },
    origin: { type: String, enum: [...DELIVERY_ORIGINS], required: true },
    url: { type: String, required: true },
    destination: { type: String, required: true },
    attempt: { type: Number, required: true },
    first_due_at: { type: Date, required: true },
    status: { type: String, enum: [...DELIVERY_STATUSES], required: true },
    response_status: { type: Number, default: null },
    error: { type: String, default: null },
    due_at: { type: Date, required: true },
    lease_owner: { type: String, default: null },
    lease_until: { type: Date, required: true },
    next_due_at: nullableDate,
    created_at: { type: Date, required: true },
    delivered_at: nullableDate,
    expires_at: { type: Date, required: true },
  },
  {
    versionKey: false,
    autoIndex: false,
    autoCreate: false,
    strict: 'throw',
    collection: 'webhook_deliveries',
  },
);
deliverySchema.index({ tenant_id: 1, subscription_id: 1, created_at: -1, attempt: -1, _id: -1 });
deliverySchema.index(
  { tenant_id: 1, call_id: 1, created_at: -1, _id: -1 },
  { partialFilterExpression: { call_id: { $gt: '' } } },
);
deliverySchema.index({ status: 1, due_at: 1, destination: 1 });
deliverySchema.index({ destination: 1, due_at: 1 }, { partialFilterExpression: { status: 'pending' } });
deliverySchema.index({ subscription_id: 1, status: 1 });
deliverySchema.index({ subject: 1, status: 1 }, { partialFilterExpression: { subject: { $gt: '' } } });
deliverySchema.index({ lease_owner: 1 });
deliverySchema.index({ lease_until: 1 }, { partialFilterExpression: { lease_owner: { $gt: '' } } });
deliverySchema.index({ next_due_at: 1 });
deliverySchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

export function deliveryModel(store: Connection): DeliveryModel {
  return store.model<DeliveryRow>('WebhookDelivery', deliverySchema);
}

type NewDelivery = Pick<
  DeliveryRow,
  | '_id'
  | 'tenant_id'
  | 'subscription_id'
  | 'event_id'
  | 'event_type'
  | 'sandbox'
  | 'origin'
  | 'url'
  | 'attempt'
> &
  Pick<DeliveryRow, 'call_id' | 'subject' | 'rank'> & {
    readonly dueAt: number;
    readonly firstDueAt: number;
    readonly now: number;
  };

/** Builds the row of an attempt that is to be made. Times are epoch ms. */
export function pendingDelivery({ dueAt, firstDueAt, now, ...rest }: NewDelivery): DeliveryRow {
  return {
    call_id: null,
    subject: null,
    rank: 0,
    ...rest,
    destination: destinationOf(rest.tenant_id, rest.url),
    first_due_at: new Date(firstDueAt),
    status: 'pending',
    response_status: null,
    error: null,
    due_at: new Date(dueAt),
    lease_owner: null,
    lease_until: new Date(0),
    next_due_at: null,
    created_at: new Date(now),
    delivered_at: null,
    expires_at: new Date(now + DELIVERY_LIFE_MS),
  };
}

/** Builds what names a destination: it begins with the tenant, so that a query by destination can name that, too. */
export function destinationOf(tenantId: string, url: string): string {
  return `${tenantId} ${url}`;
}

/** Returns the tenant of a destination. */
export function tenantOfDestination(destination: string): string {
  return destination.slice(0, destination.indexOf(' '));
}
