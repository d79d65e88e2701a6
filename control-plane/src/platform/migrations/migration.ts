import type { mongo } from 'mongoose';

/** An index, by its collection and the name that the server knows it by. */
export interface IndexName {
  readonly collection: string;
  readonly name: string;
}

/** A change of documents: it is made in batches, in the order of their ids, and goes on where it was cut short. */
export interface DocumentChange {
  readonly collection: string;
  /** Finds what is still to be changed: a document that was changed is not found again. */
  readonly outdated: mongo.Filter<mongo.Document>;
  readonly update: mongo.UpdateFilter<mongo.Document>;
}

/**
 * A numbered step from the store of one version to that of the next. Its parts are safe to repeat, because a replica
 * may die in any of them. It names collections and fields as they were: models change, and a step does not.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** What it does, as the dry run prints it. */
  readonly summary: string;
  /** Made first, so that what the indexes need is there. */
  readonly changes?: readonly DocumentChange[];
  /** Declared indexes that had another key or other options: replaced where they still have. */
  readonly replaces?: readonly IndexName[];
  /** Indexes that are declared no more: dropped when the declared ones are there, so that no list is without one. */
  readonly retires?: readonly IndexName[];
}

/** Returns the highest number of the steps; 0 where there are none. */
export const newestOf = (migrations: readonly Migration[]): number =>
  Math.max(0, ...migrations.map(({ number }) => number));
