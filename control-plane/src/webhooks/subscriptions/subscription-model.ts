import { type Connection, type Model, Schema } from 'mongoose';

/** Why a delivery is skipped whose subscription the tenant has disabled. */
export const SWITCHED_OFF = 'The subscription is switched off.';

/** One tenant plus one URL. The tenant-level single webhook is one too, under an id that is derived. */
export interface SubscriptionRow {
  _id: string;
  tenant_id: string;
  /** `config`: the tenant-level single webhook, which the lists of subscriptions leave out. */
  kind: 'subscription' | 'config';
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
}

export type SubscriptionModel = Model<SubscriptionRow>;

const subscriptionSchema = new Schema<SubscriptionRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    kind: { type: String, enum: ['subscription', 'config'], required: true },
    url: { type: String, required: true },
    event_types: { type: [String], required: true },
    sandbox: { type: Boolean, required: true },
    is_active: { type: Boolean, required: true },
    description: { type: String, default: '' },
    secret: { type: String, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
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

export function subscriptionModel(store: Connection): SubscriptionModel {
  return store.model<SubscriptionRow>('WebhookSubscription', subscriptionSchema);
}
