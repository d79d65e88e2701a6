import { type Connection, type Model, Schema } from 'mongoose';

/** A media worker as its last heartbeat described it. */
export interface WorkerDocument {
  /** The worker's own name. */
  _id: string;
  control_url: string;
  media_url: string;
  capacity: number;
  /** Places that were free at the last heartbeat. */
  free: number;
  live: number;
  reserved: number;
  draining: boolean;
  /** The label of where it runs. */
  region?: string | null;
  /** Its disk is full: it gets no new calls. */
  storage_full?: boolean;
  /** Whether it takes WebRTC sessions; null: it does not, and never will. */
  webrtc?: WebRtcAbility | null;
  /** Whether the operator wants it to get no new calls; outlives its heartbeats. */
  held_back?: boolean;
  last_seen_at: Date;
  /** Calls that should be at this worker and that its heartbeats do not mention, and since when. */
  missing: MissingCall[];
}

interface WebRtcAbility {
  readonly available: boolean;
  /** In words, while it is not. */
  readonly reason: string | null;
  /** When it is expected to be, where that is known. */
  readonly ready_at: Date | null;
}

export interface MissingCall {
  readonly call_id: string;
  readonly since: Date;
  /** When the worker reported last before that, with the call. */
  readonly held_at?: Date | null;
}

export type WorkerModel = Model<WorkerDocument>;

const workerSchema = new Schema<WorkerDocument>(
  {
    _id: { type: String, required: true },
    control_url: { type: String, required: true },
    media_url: { type: String, required: true },
    capacity: { type: Number, required: true },
    free: { type: Number, required: true },
    live: { type: Number, required: true },
    reserved: { type: Number, required: true },
    draining: { type: Boolean, required: true },
    region: { type: String, default: null },
    storage_full: { type: Boolean, default: false },
    webrtc: {
      type: new Schema<WebRtcAbility>(
        { available: Boolean, reason: String, ready_at: Date },
        { _id: false, strict: 'throw' },
      ),
      default: null,
    },
    held_back: { type: Boolean, default: false },
    last_seen_at: { type: Date, required: true },
    missing: {
      type: [new Schema<MissingCall>({ call_id: String, since: Date, held_at: Date }, { _id: false })],
      default: [],
    },
  },
  { versionKey: false, strict: 'throw' },
);
workerSchema.index({ last_seen_at: 1 });

export function workerModel(connection: Connection): WorkerModel {
  return connection.model<WorkerDocument>('Worker', workerSchema, 'workers');
}
