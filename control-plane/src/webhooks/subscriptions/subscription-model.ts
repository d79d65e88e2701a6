import { type Connection, type Model, Schema } from 'mongoose';

/** Why a delivery is skipped whose subscription the tenant has disabled. */
export const SWITCHED_OFF = 'The subscription is switched off.';

/** One tenant plus one URL. The tenant-level single webhook is one too, under an id that is derived. */
export interface SubscriptionRow {
  _id: string;
  tenant_id: string;
  /**
   * What the lists of subscriptions leave out: `config`, the tenant-level single webhook, and `listener`, a
   * connection that is sent events in place of a URL (`../listeners`).
   */
  kind: 'subscription' | 'config' | 'listener';
  url: string;
  /** Event types, or the single entry `*`. */
  event_types: string[];
  sandbox: boolean;
  is_active: boolean;
  description: string;
  /** The signing secret, sealed for `webhooks/<id>`. */
  secret: string;
  created_at: Date;
  updated_at: Date;
  /** Of a listener: the connection that it has, and until when it is one without being heard of. */
  connection?: string;
  expires_at?: Date;
}

export type SubscriptionModel = Model<SubscriptionRow>;

const subscriptionSchema = new Schema<SubscriptionRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    kind: { type: String, enum: ['subscription', 'config', 'listener'], required: true },
    url: { type: String, required: true },
    event_types: { type: [String], required: true },
    sandbox: { type: Boolean, required: true },
    is_active: { type: Boolean, required: true },
    description: { type: String, default: '' },
    secret: { type: String, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    connection: { type: String },
    expires_at: { type: Date },
  },
  {
    versionKey: false,
    autoIndex: false,
    autoCreate: false,
    strict: 'throw',
    collection: 'webhook_subscriptions',
  },
);
subscriptionSchema.index({ tenant_id: 1, kind: 1, created_at: -1, _id: -1 });
subscriptionSchema.index({ tenant_id: 1, sandbox: 1, is_active: 1 });
// Rows without the date are kept.
subscriptionSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

export function subscriptionModel(store: Connection): SubscriptionModel {
  return store.model<SubscriptionRow>('WebhookSubscription', subscriptionSchema);
}
