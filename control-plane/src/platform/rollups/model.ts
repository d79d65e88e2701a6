import { type Connection, type Model, Schema } from 'mongoose';

/** Sums by name. Names hold neither dots nor dollars. */
export type Sums = Readonly<Record<string, number>>;

/** The sums of one subject on one day. */
export interface RollupRow {
  /** Of owner, subject and day. */
  _id: string;
  tenant_id: string;
  sandbox: boolean;
  /** What is counted: the tenant as a whole, or one of its campaigns or agents. */
  subject: string;
  /** Empty for the tenant itself. */
  subject_id: string;
  /** The beginning of the day, in UTC. */
  day: Date;
  /** The last batch that was added. */
  seq: number;
  sums: Sums;
}

/** What a batch adds to one row. */
export interface RollupChange {
  readonly subject: string;
  readonly subject_id: string;
  /** Epoch ms. */
  readonly day: number;
  readonly add: Sums;
}

/** How far an owner's rollups are. */
export interface RollupState {
  /** Of what is counted, and of the owner. */
  _id: string;
  tenant_id: string;
  sandbox: boolean;
  /** Batches so far, the open one included. */
  seq: number;
  /** The batch that is being added; null between batches. */
  batch: RollupBatch | null;
}

export interface RollupBatch {
  /** The documents that it counts; none where it only puts rows right. */
  readonly ids: readonly string[];
  /** `RollupChange[]` as JSON: who goes on with the batch adds the same. */
  readonly changes: string;
}

export type RollupModel = Model<RollupRow>;
export type RollupStateModel = Model<RollupState>;

const rollupSchema = new Schema<RollupRow>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    sandbox: { type: Boolean, required: true },
    subject: { type: String, required: true },
    subject_id: String,
    day: { type: Date, required: true },
    seq: { type: Number, required: true },
    sums: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
// One of a subject; all of some days.
rollupSchema.index({ tenant_id: 1, sandbox: 1, subject: 1, subject_id: 1, day: 1 });
rollupSchema.index({ tenant_id: 1, sandbox: 1, subject: 1, day: 1 });

const stateSchema = new Schema<RollupState>(
  {
    _id: { type: String, required: true },
    tenant_id: { type: String, required: true },
    sandbox: { type: Boolean, required: true },
    seq: { type: Number, required: true },
    batch: {
      type: new Schema<RollupBatch>({ ids: [String], changes: String }, { _id: false }),
      default: null,
    },
  },
  { versionKey: false, strict: 'throw' },
);

/** Builds the collection of all sums. */
export function rollupModel(store: Connection): RollupModel {
  return store.model<RollupRow>('Rollup', rollupSchema, 'rollups');
}

/** Builds the collection of how far they are. */
export function rollupStateModel(store: Connection): RollupStateModel {
  return store.model<RollupState>('RollupState', stateSchema, 'rollup_states');
}
