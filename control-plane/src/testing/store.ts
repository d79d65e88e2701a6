import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import mongoose, { type Connection } from 'mongoose';
import { shardDatabase, TEST_DATABASE } from './given-server.js';
import { RUN, SHARDED, type SharedStore, sharedStore } from './shared-store.js';
import { startStoreProcess } from './store-process.js';
import { uriOfDatabase, uriWith } from './store-uri.js';

/** A database of a test file's own. */
export interface TestStore {
  readonly uri: string;
  /** Connects; make models on it, then call `ensureIndexes`. Closed with the store. */
  connect(): Promise<Connection>;
  close(): Promise<void>;
}

/** A store whose process is a test file's own, to be harmed. */
export interface TestStoreProcess extends TestStore {
  /** Kills the store's process without warning. */
  kill(): Promise<void>;
  /** Stops the store's process as a stalled machine does: connections stay open, nothing answers. */
  freeze(): void;
  /** Lets a frozen store go on. */
  thaw(): void;
  /** Fills its disk, or makes room: a limit on the size of its files stands for it, which needs no rights. */
  fillDisk(full: boolean): void;
}

/** How long tests wait for the shared store, in ms: none harms it, but a busy machine gives it little time. */
const PATIENCE_MS = 60_000;
const PATIENT = ['connectTimeoutMS', 'serverSelectionTimeoutMS', 'waitQueueTimeoutMS'];

/** Returns the URI with patience; what it says itself stands. */
function patient(uri: string): string {
  const missing = PATIENT.filter((name) => !uri.toLowerCase().includes(`${name.toLowerCase()}=`));
  return missing.reduce((longer, name) => uriWith(longer, `${name}=${PATIENCE_MS}`), uri);
}

const connectTo = (uri: string): Promise<Connection> =>
  mongoose
    .createConnection(uri, { autoIndex: false, autoCreate: false, serverSelectionTimeoutMS: 60_000 })
    .asPromise();

function databaseAt(uri: string, end: () => Promise<void>): TestStore {
  const connections: Connection[] = [];
  return {
    uri,
    async connect() {
      const connection = await connectTo(uri);
      connections.push(connection);
      return connection;
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.close()));
      await end();
    },
  };
}

/** Kept by the worker itself, which evaluates this module once more for each mutant. */
const worker = globalThis as { testStore?: SharedStore; testDatabases?: number };

/** Makes an empty database for a test file, removed when it is closed: in the one store of all workers. */
export async function startTestStore(): Promise<TestStore> {
  worker.testStore ??= sharedStore();
  const address = await worker.testStore.address();
  worker.testDatabases = (worker.testDatabases ?? 0) + 1;
  const name = `${TEST_DATABASE}${process.env[RUN] ?? ''}-${process.pid}-${worker.testDatabases}`;
  const uri = patient(uriOfDatabase(address, name));
  if (process.env[SHARDED] !== undefined) await shardDatabase(uri);
  return databaseAt(uri, async () => {
    const connection = await connectTo(uri);
    await connection.dropDatabase();
    await connection.close();
  });
}

/** Starts a store process for a test file alone, which may harm it. */
export async function startTestStoreProcess(): Promise<TestStoreProcess> {
  const { child, dataDir, address, end } = await startStoreProcess();
  const database = databaseAt(`${address}/test`, async () => {
    await end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    ...database,
    kill: () => end('SIGKILL'),
    fillDisk: (full) =>
      void execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${full ? 0 : 'unlimited'}:`]),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async close() {
      child.kill('SIGCONT');
      await database.close();
    },
  };
}

export { ensureIndexes } from '../platform/store/ensure-indexes.js';
