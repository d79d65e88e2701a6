import { type Model, mongo } from 'mongoose';

const DUPLICATE_KEY = 11000;

/** Inserts the rows that are not there yet and returns them; those that are stay as they are. */
export async function insertMissing<Row>(model: Model<Row>, rows: readonly Row[]): Promise<readonly Row[]> {
  if (rows.length === 0) return [];
  try {
    await model.collection.insertMany(rows as never[], { ordered: false });
    return rows;
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.length === 0 || failures.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    const known = new Set(failures.map(({ index }) => index));
    return rows.filter((_row, index) => !known.has(index));
  }
}
