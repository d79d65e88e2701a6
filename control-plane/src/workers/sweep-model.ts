import { type Connection, type Model, Schema } from 'mongoose';

/** The memory of the lost-worker sweep, shared by all replicas (see `observation.ts`). */
export interface SweepDocument {
  _id: string;
  observing_since: Date;
  last_look_at: Date;
}

export type SweepModel = Model<SweepDocument>;

const sweepSchema = new Schema<SweepDocument>(
  {
    _id: { type: String, required: true },
    observing_since: { type: Date, required: true },
    last_look_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);

export function sweepModel(connection: Connection): SweepModel {
  return connection.model<SweepDocument>('Sweep', sweepSchema, 'sweeps');
}
