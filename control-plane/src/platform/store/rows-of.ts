import type { mongo } from 'mongoose';

/**
 * Returns a model's rows by the driver itself: without documents, casts and hooks of mongoose, which cost as much as
 * the command. What is written this way is as the caller gives it.
 */
export function rowsOf<Row extends mongo.Document = mongo.Document>(model: {
  readonly collection: unknown;
}): mongo.Collection<Row> {
  return model.collection as mongo.Collection<Row>;
}
