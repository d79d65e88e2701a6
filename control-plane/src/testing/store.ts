import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mongoose, { type Connection } from 'mongoose';

const STORE_MAIN = fileURLToPath(new URL('../../../infra/dist/embedded-store/main.js', import.meta.url));
const READY = /mongodb:\/\/\S+/;
const START_LIMIT_MS = 120_000;

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

interface StoreProcess {
  readonly child: ChildProcess;
  readonly dataDir: string;
  /** With user and password, without a database. */
  readonly address: string;
  /** Ends the process by a signal; resolves when it is gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

function readyUri(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const limit = setTimeout(() => reject(new Error(`the store did not start: ${said}`)), START_LIMIT_MS);
    const onOutput = (chunk: Buffer) => {
      said += chunk.toString();
      const uri = READY.exec(said)?.[0];
      if (uri === undefined || !said.includes('\n')) return;
      clearTimeout(limit);
      resolve(uri.replace(/\/+$/, ''));
    };
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    child.once('exit', (code) => {
      clearTimeout(limit);
      reject(new Error(`the store ended with ${code}: ${said}`));
    });
  });
}

/** Starts an embedded store as the separate process that it is in production. It ends with this one. */
async function startProcess(): Promise<StoreProcess> {
  if (!existsSync(STORE_MAIN)) throw new Error(`${STORE_MAIN} is missing: run "tsc -b infra" first`);
  const dataDir = await mkdtemp(join(tmpdir(), 'control-plane-test-'));
  // Scripted clocks are months behind the machine's: by its time what tests keep has expired.
  const flags = ['--port', '0', '--data', dataDir, '--ttl-monitor', 'off'];
  const child = spawn(process.execPath, ['--no-warnings', STORE_MAIN, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const address = await readyUri(child);
  const password = (await readFile(join(dataDir, 'password'), 'utf8')).trim();
  return {
    child,
    dataDir,
    address: address.replace('//', `//voice:${password}@`),
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
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

/**
 * One for all test files of a worker, one file after the other: starting it costs more than many a test. It is kept by
 * the worker itself, which evaluates this module once more for each mutant.
 */
const worker = globalThis as { testStore?: Promise<StoreProcess> | undefined; testDatabases?: number };

/** Makes an empty database for a test file, removed when it is closed. */
export async function startTestStore(): Promise<TestStore> {
  worker.testStore ??= startProcess();
  const { child, address } = await worker.testStore;
  if (child.exitCode !== null || child.signalCode !== null) {
    worker.testStore = undefined;
    return startTestStore();
  }
  worker.testDatabases = (worker.testDatabases ?? 0) + 1;
  const uri = `${address}/test-${worker.testDatabases}`;
  return databaseAt(uri, async () => {
    const connection = await connectTo(uri);
    await connection.dropDatabase();
    await connection.close();
  });
}

/** Starts a store process for a test file alone, which may harm it. */
export async function startTestStoreProcess(): Promise<TestStoreProcess> {
  const { child, dataDir, address, end } = await startProcess();
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

export { ensureIndexes } from '../platform/store/connection.js';
