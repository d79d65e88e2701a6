import mongoose, { type Connection } from 'mongoose';

/** How long a command waits for a store that does not answer, in ms, unless the URI says otherwise. */
const SERVER_SELECTION_TIMEOUT_MS = 5000;

/** Connects; rejects when nothing answers at the URI. */
export async function connectStore(uri: string): Promise<Connection> {
  return mongoose
    .createConnection(uri, {
      ...(uri.includes('serverSelectionTimeoutMS=')
        ? {}
        : { serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS }),
      bufferCommands: false,
      autoIndex: false,
      autoCreate: false,
    })
    .asPromise();
}

/** Makes every index that the models declare; a unique one is part of the program's correctness. */
export async function ensureIndexes(store: Connection): Promise<void> {
  for (const model of Object.values(store.models)) await model.createIndexes();
}
