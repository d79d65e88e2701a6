import { mongo } from 'mongoose';

const DUPLICATE_KEY = 11000;

/**
 * Returns the positions, in the list that was inserted, of the documents that a unique index refused; null when
 * anything else went wrong as well. The code of a bulk error is only that of its first entry, and a failed write
 * concern stands beside the entries.
 */
export function duplicatePositions(error: unknown): ReadonlySet<number> | null {
  if (!(error instanceof mongo.MongoBulkWriteError)) return null;
  const failures = [error.writeErrors].flat();
  if (failures.length === 0 || failures.some(({ code }) => code !== DUPLICATE_KEY)) return null;
  if (error.result.getWriteConcernError() !== undefined) return null;
  return new Set(failures.map(({ index }) => index));
}

/**
 * Returns whether unique indexes refused a write (MongoDB error 11000), or every refused entry of a bulk, and nothing
 * else failed.
 */
export function isDuplicateKey(error: unknown): boolean {
  if (error instanceof mongo.MongoBulkWriteError) return duplicatePositions(error) !== null;
  return error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;
}
