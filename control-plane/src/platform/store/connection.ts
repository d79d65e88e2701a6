import mongoose, { type Connection } from 'mongoose';
import { keepSessionsApart } from './active-sessions.js';
import { CONSISTENCY, withoutConsistency } from './consistency.js';
import { storeDeadlines } from './deadlines.js';
import { lookAfterPoolsRarely } from './pool-checks.js';
import { failWhatIsBeingSent } from './sending.js';

/** How often the first connection is tried: a cluster may be electing, a slow network still shaking hands. */
const CONNECT_ATTEMPTS = 4;
/** No connection, none free in time, or one that was lost: the same may work the next time. */
const NOT_REACHED = /^Mongo(ose)?(Network|ServerSelection|Pool|WaitQueueTimeout)/;

/** Whether the store was not reached, or not in time: the same may work the next time. */
export const mayWorkLater = (error: unknown): boolean =>
  error instanceof Error && NOT_REACHED.test(error.name);

/** Connects; rejects when nothing answers at the URI. */
export async function connectStore(uri: string): Promise<Connection> {
  failWhatIsBeingSent();
  keepSessionsApart();
  lookAfterPoolsRarely();
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
