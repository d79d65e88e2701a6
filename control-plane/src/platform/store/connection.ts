import mongoose, { type Connection, type Model, type mongo } from 'mongoose';
import { CONSISTENCY, withoutConsistency } from './consistency.js';
import { storeDeadlines } from './deadlines.js';
import { dropRetiredIndexes } from './retired-indexes.js';

/** How often an index that takes longer than one answer may is asked for again. */
const INDEX_ATTEMPTS = 60;
/** How often the first connection is tried: a cluster may be electing, a slow network still shaking hands. */
const CONNECT_ATTEMPTS = 4;
/** No connection, none free in time, or one that was lost: the same may work the next time. */
const NOT_REACHED = /^Mongo(ose)?(Network|ServerSelection|Pool|WaitQueueTimeout)/;

const mayWorkLater = (error: unknown): boolean => error instanceof Error && NOT_REACHED.test(error.name);

/** Connects; rejects when nothing answers at the URI. */
export async function connectStore(uri: string): Promise<Connection> {
  for (let left = CONNECT_ATTEMPTS - 1; ; left--) {
    try {
      return await mongoose
        .createConnection(withoutConsistency(uri), {
          ...CONSISTENCY,
          ...storeDeadlines(uri),
          bufferCommands: false,
          autoIndex: false,
          autoCreate: false,
        })
        .asPromise();
    } catch (error) {
      if (left === 0 || !mayWorkLater(error)) throw error;
    }
  }
}

/**
 * Makes every index that the models declare, and drops what they declared before; a unique one is part of the
 * program's correctness. `onProgress` is called after each model. An index that takes longer than one answer may is
 * asked for again: the server goes on with it meanwhile.
 */
export async function ensureIndexes(store: Connection, onProgress: () => void = () => {}): Promise<void> {
  for (const model of Object.values(store.models)) {
    for (let left = INDEX_ATTEMPTS - 1; ; left--) {
      try {
        await createIndexes(model);
        break;
      } catch (error) {
        if (left === 0 || !mayWorkLater(error)) throw error;
      } finally {
        onProgress();
      }
    }
  }
  await dropRetiredIndexes(store);
}

/** Makes a model's indexes by one command, so that a server reads the collection once for all of them. */
async function createIndexes({ schema, collection }: Model<unknown>): Promise<void> {
  const indexes = schema.indexes().map(([key, options]): mongo.IndexDescription => {
    // Mongoose's default for what servers no longer distinguish.
    const { background: _background, ...others } = options;
    return { ...(others as mongo.IndexDescription), key: key as mongo.IndexDescription['key'] };
  });
  if (indexes.length > 0) await collection.createIndexes(indexes);
}
