import mongoose, { type Connection } from 'mongoose';
import { isSharded, shardCollections } from '../platform/migrations/sharding.js';

/** Databases of tests are named so. */
export const TEST_DATABASE = 'test-';

const SELECTION_LIMIT_MS = 10_000;

async function connected<T>(uri: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await mongoose
    .createConnection(uri, { serverSelectionTimeoutMS: SELECTION_LIMIT_MS })
    .asPromise();
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** What the tests have to know of a server that they are given. */
interface GivenServer {
  readonly sharded: boolean;
  /** What its operator has to know. */
  readonly warning: string | undefined;
}

/** Asks a server what it is. Rejects when it does not answer. */
export function examineServer(uri: string): Promise<GivenServer> {
  return connected(uri, async (connection) => {
    const sharded = await isSharded(connection);
    const answer = await connection.db
      ?.admin()
      .command({ getParameter: 1, ttlMonitorEnabled: 1 })
      .catch(() => null);
    const warning =
      answer?.ttlMonitorEnabled === true
        ? 'this server deletes what has expired, and scripted clocks are behind its own: tests that take over a minute ' +
          'can fail. Start it with --setParameter ttlMonitorEnabled=false.'
        : undefined;
    return { sharded, warning };
  });
}

/** Shards a test's database as an operator does. */
export const shardDatabase = (uri: string): Promise<void> => connected(uri, shardCollections);

/** Drops what a run has left on a server; files that came to their end have dropped theirs. */
export function dropDatabasesOf(uri: string, run: string): Promise<void> {
  return connected(uri, async (connection) => {
    const { databases } = await connection.listDatabases();
    for (const { name } of databases) {
      if (name.startsWith(`${TEST_DATABASE}${run}-`)) await connection.useDb(name).dropDatabase();
    }
  });
}
