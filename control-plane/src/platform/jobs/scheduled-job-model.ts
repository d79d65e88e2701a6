import { type Connection, type Model, Schema } from 'mongoose';

/** The time of a job that nobody wants to run. A date, so that `$min` brings it forward. */
export const NEVER = new Date(Date.UTC(9999, 11, 31));
/** The name of the rows by which replicas show that they live. */
export const LEASE = 'lease';

/** A job of a key, or the lease of a replica that holds jobs. */
export interface ScheduledJob {
  /** Name and key. */
  _id: string;
  name: string;
  key: string;
  /** When it is to run; `NEVER` while it runs, unless it was wanted meanwhile. Of a lease: when it ends. */
  due_at: Date;
  /** Who runs it. */
  holder: string | null;
  /** Of one locking: what releases it must know it. */
  lock: string | null;
  locked_at: Date | null;
  /** Who ran it last: others leave it to that one for a moment. */
  last_holder: string | null;
  /** Of a lease: its jobs are being freed. */
  ended?: boolean;
}

export type ScheduledJobModel = Model<ScheduledJob>;

const nullableString = { type: String, default: null };

const scheduledJobSchema = new Schema<ScheduledJob>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    key: { type: String, required: true },
    due_at: { type: Date, required: true },
    holder: nullableString,
    lock: nullableString,
    locked_at: { type: Date, default: null },
    last_holder: nullableString,
    ended: Boolean,
  },
  { versionKey: false, autoIndex: false, autoCreate: false, strict: 'throw', collection: 'scheduled_jobs' },
);
scheduledJobSchema.index({ due_at: 1 });
scheduledJobSchema.index({ holder: 1 }, { partialFilterExpression: { holder: { $gt: '' } } });

export function scheduledJobModel(store: Connection): ScheduledJobModel {
  return store.model<ScheduledJob>('ScheduledJob', scheduledJobSchema);
}

export function jobIdOf(name: string, key: string): string {
  return `${name}:${key}`;
}
