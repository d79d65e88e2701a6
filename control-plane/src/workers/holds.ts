import type { Clock } from '@voice/shared/clock/clock';
import { type Connection, type Model, Schema } from 'mongoose';

/** For how long a worker that is away is remembered as held back, in ms. */
const LIFE_MS = 28 * 24 * 60 * 60_000;

/** The operator's word that a worker gets no new calls. */
interface WorkerHoldRow {
  /** The worker's name. */
  _id: string;
  /** Where the worker is away: when it is forgotten. */
  expires_at?: Date;
}

const holdSchema = new Schema<WorkerHoldRow>(
  { _id: { type: String, required: true }, expires_at: Date },
  { versionKey: false, strict: 'throw', autoIndex: false, autoCreate: false, collection: 'worker_holds' },
);
holdSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/**
 * Which workers the operator holds back: what a worker's own row says of it is lost with the row, when the worker is
 * away for seconds, as in a restart. Read only when a worker comes that has no row.
 */
export class WorkerHolds {
  readonly #holds: Model<WorkerHoldRow>;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(store: Connection, clock: Pick<Clock, 'now'>) {
    this.#holds = store.model<WorkerHoldRow>('WorkerHold', holdSchema);
    this.#clock = clock;
  }

  /** Keeps the hold of a worker that is there. Returns whether there was none before. */
  async keep(workerId: string): Promise<boolean> {
    const { upsertedCount } = await this.#holds.updateOne(
      { _id: workerId },
      { $unset: { expires_at: 1 } },
      { upsert: true },
    );
    return upsertedCount === 1;
  }

  /** Ends a hold, also that of a worker that is away. */
  async end(workerId: string): Promise<void> {
    await this.#holds.deleteOne({ _id: workerId });
  }

  /** Keeps the hold of a worker that is away until some weeks from now, unless the worker comes back. */
  async outlive(workerId: string): Promise<void> {
    const expiresAt = new Date(this.#clock.now() + LIFE_MS);
    await this.#holds.updateOne({ _id: workerId }, { $set: { expires_at: expiresAt } }, { upsert: true });
  }

  /** Whether a worker that comes back was held back; if so its hold expires no more. */
  async resumes(workerId: string): Promise<boolean> {
    return (await this.#holds.updateOne({ _id: workerId }, { $unset: { expires_at: 1 } })).matchedCount === 1;
  }
}
