import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runningStoreUri } from '@voice/shared/embedded-store/access';

const STORE_MAIN = fileURLToPath(new URL('../../../infra/dist/embedded-store/main.js', import.meta.url));
const READY = /mongodb:\/\/127\.0\.0\.1:(\d+)/;
const START_LIMIT_MS = 120_000;

export interface StoreProcess {
  readonly child: ChildProcess;
  readonly dataDir: string;
  /** With user and password, without a database. */
  readonly address: string;
  /** Ends the process by a signal; resolves when it is gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

function readyPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const limit = setTimeout(() => reject(new Error(`the store did not start: ${said}`)), START_LIMIT_MS);
    const onOutput = (chunk: Buffer) => {
      said += chunk.toString();
      const port = READY.exec(said)?.[1];
      if (port === undefined || !said.includes('\n')) return;
      clearTimeout(limit);
      resolve(Number(port));
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
export async function startStoreProcess(): Promise<StoreProcess> {
  if (!existsSync(STORE_MAIN)) throw new Error(`${STORE_MAIN} is missing: run "tsc -b infra" first`);
  const dataDir = await mkdtemp(join(tmpdir(), 'control-plane-test-'));
  // Scripted clocks are months behind the machine's: by its time what tests keep has expired.
  const flags = ['--port', '0', '--data', dataDir, '--ttl-monitor', 'off'];
  // One store serves hundreds of files: with room for what is young, it is looked through a quarter as often.
  const room = ['--min-semi-space-size=64', '--max-semi-space-size=64'];
  const child = spawn(process.execPath, ['--no-warnings', ...room, STORE_MAIN, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await readyPort(child);
  return {
    child,
    dataDir,
    address: runningStoreUri({ port, dataDir, database: '' }).replace(/\/$/, ''),
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}
