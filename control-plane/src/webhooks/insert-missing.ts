import { mongo } from 'mongoose';
import type { DeliveryModel, DeliveryRow } from './delivery-model.js';

const DUPLICATE_KEY = 11000;

/** Inserts the rows that are not there yet; those that are stay as they are. */
export async function insertMissing(deliveries: DeliveryModel, rows: readonly DeliveryRow[]): Promise<void> {
  try {
    await deliveries.collection.insertMany(rows as never[], { ordered: false });
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.length === 0 || failures.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
  }
}
