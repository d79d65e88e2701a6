import { type Connection, type Model, Schema } from 'mongoose';

/** How long an event is kept, in ms: longer than its last attempt is shown and can be replayed. */
export const EVENT_LIFE_MS = 32 * 24 * 60 * 60 * 1000;

/** An event as stored: once under its id, with the very bytes that every receiver is sent. */
export interface EventRow {
  /** The event id: publishing an event twice is a duplicate key. */
  _id: string;
  tenant_id: string;
  type: string;
  sandbox: boolean;
  /** The call that it is of, and its place among that call's events (`event-order.ts`). */
  subject?: string | null;
  rank?: number;
  /** The body that is sent, as text. */
  body: string;
  /** Made up for a test: it is no part of what happened. */
  is_test?: boolean;
  /** False until every subscription that matches has its delivery row. */
  fanned_out: boolean;
  created_at: Date;
  expires_at: Date;
}

export type EventModel = Model<EventRow>;

const eventSchema = new Schema<EventRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    type: { type: String, required: true },
    sandbox: { type: Boolean, required: true },
    subject: { type: String, default: null },
    rank: { type: Number, default: 0 },
    body: { type: String, required: true },
    is_test: Boolean,
    fanned_out: { type: Boolean, required: true },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, strict: 'throw', collection: 'events' },
);
eventSchema.index({ tenant_id: 1, sandbox: 1, created_at: -1, _id: -1 });
eventSchema.index({ fanned_out: 1, created_at: 1 });
eventSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

export function eventModel(store: Connection): EventModel {
  return store.model<EventRow>('Event', eventSchema);
}
