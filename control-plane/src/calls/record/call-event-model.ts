import type { CallEventKind } from '@voice/shared/contracts/call-events';
import { type Connection, type Model, type mongo, Schema } from 'mongoose';

/**
 * One numbered event of a call, as its worker reported it: written once, never changed. Or all of a call that is over,
 * folded (`folded-events.ts`).
 */
export interface CallEventDocument {
  /** `<call id>:<seq>`: the number is taken once, so a repeat is a duplicate key. */
  _id: string;
  tenant_id: string;
  call_id: string;
  seq: number;
  kind: CallEventKind | 'folded';
  at: Date;
  received_at: Date;
  /** The whole event as JSON; empty in a folded one. */
  body: string;
  /** Gzip of all events, each as a line of JSON. */
  folded?: Buffer | mongo.Binary;
  /** Whether the archive of the call has them instead (`archive/call-archive.ts`). */
  archived?: boolean;
}

export type CallEventModel = Model<CallEventDocument>;

const callEventSchema = new Schema<CallEventDocument>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    call_id: { type: String, required: true },
    seq: { type: Number, required: true },
    kind: { type: String, required: true },
    at: { type: Date, required: true },
    received_at: { type: Date, required: true },
    // Empty in a folded one, which `required` would refuse.
    body: String,
    folded: Buffer,
    archived: Boolean,
  },
  { versionKey: false, strict: 'throw' },
);
callEventSchema.index({ call_id: 1, seq: 1 });

export function callEventModel(connection: Connection): CallEventModel {
  return connection.model<CallEventDocument>('CallEvent', callEventSchema, 'call_events');
}

export function callEventId(callId: string, seq: number): string {
  return `${callId}:${seq}`;
}
