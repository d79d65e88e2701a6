import mongoose, { type Connection, type mongo } from 'mongoose';
import { uriWith } from './store-uri.js';
import { MONITORED } from './watched-commands.js';

/** A connection of a replica, and how many commands it has sent. */
export interface CountedConnection {
  readonly connection: Connection;
  /** All since the connection was made. */
  sent(): number;
  /** Those of them that a unique index refused. */
  refused(): number;
}

/** Connects as a replica does that counts its commands. The caller closes it. */
export async function connectCounted(uri: string): Promise<CountedConnection> {
  const connection = await mongoose
    .createConnection(uriWith(uri, MONITORED), { autoIndex: false, autoCreate: false })
    .asPromise();
  let sent = 0;
  let refused = 0;
  const client = connection.getClient();
  client.on('commandStarted', () => sent++);
  client.on('commandSucceeded', ({ reply }) => {
    if ((reply as mongo.Document).writeErrors) refused++;
  });
  return { connection, sent: () => sent, refused: () => refused };
}
