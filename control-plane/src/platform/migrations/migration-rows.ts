import type { Connection } from 'mongoose';
import type { Migration } from './migration.js';

/** How far a step has come; a row is there from its first write on. */
export interface StepRow {
  /** `step-` and the number. */
  _id: string;
  number: number;
  name: string;
  started_at: Date;
  /** The change of documents that is under way, counted from 0. */
  change: number;
  /** The last document's id that it has looked at; null before the first batch. */
  after: unknown;
  /** Documents changed so far. */
  changed: number;
  /** Null until all of it is done. */
  done_at: Date | null;
}

/** The lock of the replica that brings the store up to date. */
export interface LeaseRow {
  _id: 'lease';
  /** Null while nobody holds it. */
  holder: string | null;
  /** From then on anybody may take it: its holder has died. By the store's clock. */
  until: Date;
  /** Counts the times that the store was found or brought up to date. */
  round: number;
  /** What it was brought up to, in the last round. */
  fingerprint: string | null;
}

const COLLECTION = 'migrations';

const stepId = (number: number): string => `step-${number}`;

/** Where the lease is kept: past mongoose's models, whose indexes are what is brought up to date. */
export const leaseRows = (store: Connection) => store.collection<LeaseRow>(COLLECTION);

const stepRows = (store: Connection) => store.collection<StepRow>(COLLECTION);

/** Reads how far each step has come, by its number. */
export async function readSteps(store: Connection): Promise<ReadonlyMap<number, StepRow>> {
  const rows = await stepRows(store)
    .find({ number: { $gt: 0 } })
    .toArray();
  return new Map(rows.map((row) => [row.number, row]));
}

/** Notes that a step is begun; returns how far it had come, where it is gone on with. */
export async function beginStep(store: Connection, { number, name }: Migration, now: Date): Promise<StepRow> {
  const begun = { number, name, started_at: now, change: 0, after: null, changed: 0, done_at: null };
  const row = await stepRows(store).findOneAndUpdate(
    { _id: stepId(number) },
    { $setOnInsert: begun },
    { upsert: true, returnDocument: 'after' },
  );
  return row ?? { _id: stepId(number), ...begun };
}

/** Notes steps of which a new store needs nothing. */
export async function noteAsDone(store: Connection, steps: readonly Migration[], now: Date): Promise<void> {
  if (steps.length === 0) return;
  await stepRows(store).insertMany(
    steps.map(({ number, name, changes = [] }) => ({
      _id: stepId(number),
      number,
      name,
      started_at: now,
      change: changes.length,
      after: null,
      changed: 0,
      done_at: now,
    })),
  );
}

/** Keeps how far a step has come. */
export async function keepProgress(
  store: Connection,
  number: number,
  progress: Partial<Pick<StepRow, 'change' | 'after' | 'changed' | 'done_at'>>,
): Promise<void> {
  await stepRows(store).updateOne({ _id: stepId(number) }, { $set: progress });
}
