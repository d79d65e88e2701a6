import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mongoose, { type Connection } from 'mongoose';

const STORE_MAIN = fileURLToPath(new URL('../../../infra/dist/embedded-store/main.js', import.meta.url));
const READY = /mongodb:\/\/\S+/;
const START_LIMIT_MS = 20_000;

export interface TestStore {
  /** Names a database of its own. */
  readonly uri: string;
  /** Connects; make models on it, then call `ensureIndexes`. Closed with the store. */
  connect(): Promise<Connection>;
  /** Kills the store's process without warning. */
  kill(): Promise<void>;
  /** Stops the store's process as a stalled machine does: connections stay open, nothing answers. */
  freeze(): void;
  /** Lets a frozen store go on. */
  thaw(): void;
  /** Fills its disk, or makes room: a limit on the size of its files stands for it, which needs no rights. */
  fillDisk(full: boolean): void;
  close(): Promise<void>;
}

function readyUri(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const limit = setTimeout(() => reject(new Error(`the store did not start: ${said}`)), START_LIMIT_MS);
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      const uri = READY.exec(said)?.[0];
      if (uri === undefined || !said.includes('\n')) return;
      clearTimeout(limit);
      resolve(uri.replace(/\/+$/, ''));
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    child.once('exit', (code) => {
      clearTimeout(limit);
      reject(new Error(`the store ended with ${code}: ${said}`));
    });
  });
}

/** Starts an embedded store of its own for a test file, as the separate process that it is in production. */
export async function startTestStore(): Promise<TestStore> {
  if (!existsSync(STORE_MAIN)) throw new Error(`${STORE_MAIN} is missing: run "tsc -b infra" first`);
  const dataDir = await mkdtemp(join(tmpdir(), 'control-plane-test-'));
  const child = spawn(process.execPath, ['--no-warnings', STORE_MAIN, '--port', '0', '--data', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const address = await readyUri(child);
  const password = (await readFile(join(dataDir, 'password'), 'utf8')).trim();
  const uri = `${address.replace('//', `//voice:${password}@`)}/test`;
  const connections: Connection[] = [];
  const stopped = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  return {
    uri,
    async connect() {
      const connection = await mongoose
        .createConnection(uri, { autoIndex: false, autoCreate: false, serverSelectionTimeoutMS: 5000 })
        .asPromise();
      connections.push(connection);
      return connection;
    },
    kill: () => stopped('SIGKILL'),
    fillDisk: (full) =>
      void execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${full ? 0 : 'unlimited'}:`]),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async close() {
      child.kill('SIGCONT');
      await Promise.all(connections.map((connection) => connection.close()));
      await stopped('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export { ensureIndexes } from '../platform/store/connection.js';
