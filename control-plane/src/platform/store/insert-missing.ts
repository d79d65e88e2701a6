import type { Model } from 'mongoose';
import { duplicatePositions } from './duplicate-keys.js';

/** Inserts the rows that are not there yet and returns them; those that are stay as they are. */
export async function insertMissing<Row>(model: Model<Row>, rows: readonly Row[]): Promise<readonly Row[]> {
  if (rows.length === 0) return [];
  try {
    // Past mongoose's documents: the rows are typed and checked, and thousands of them cost more than the writes.
    await model.collection.insertMany(rows as never[], { ordered: false });
    return rows;
  } catch (error) {
    const known = duplicatePositions(error);
    if (known === null) throw error;
    return rows.filter((_row, index) => !known.has(index));
  }
}
