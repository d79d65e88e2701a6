import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from './control-plane.js';
import { leaseRows } from './platform/migrations/migration-rows.js';
import { startFailure } from './start-failure.js';
import { type TestEnvironment, testConfig } from './testing/control-plane.js';
import { startTestStore, type TestStore } from './testing/store.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

let store: TestStore;
const children: ChildProcess[] = [];

beforeAll(async () => {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run "tsc -b control-plane" first`);
  store = await startTestStore();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await store?.close();
});

function start(env: Record<string, string>) {
  const child = fork(MAIN, [], {
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      MONGODB_URI: store.uri,
      INTERNAL_SECRET: 'an internal secret',
      SECRETS_KEY: 'a key of at least thirty-two characters',
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.push(child);
  const said = { stderr: '' };
  child.stderr?.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString();
  });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  // Before that it reports the progress of its start.
  const ready = new Promise<{ type: string; port: number }>((resolve) => {
    child.on('message', (message: { type: string; port: number }) => {
      if (message.type === 'ready') resolve(message);
    });
  });
  return { child, said, exit, ready };
}

describe('the control plane as a process', () => {
  it('notifies its parent when it serves, and ends cleanly on SIGTERM', async () => {
    const { child, exit, ready } = start({});
    const { type, port } = await ready;
    expect(type).toBe('ready');
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  });

  it('ends when its parent is gone', async () => {
    const { child, exit, ready } = start({});
    await ready;
    child.disconnect();
    expect(await exit).toBe(0);
  });

  it('ends cleanly on SIGTERM while another replica brings the store up to date', async () => {
    const connection = await store.connect();
    const leases = leaseRows(connection);
    const until = new Date(Date.now() + 600_000);
    await leases.updateOne({ _id: 'lease' }, { $set: { holder: 'another', until } }, { upsert: true });
    const { child, exit } = start({});
    await once(child, 'message');
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    await leases.updateOne({ _id: 'lease' }, { $set: { holder: null } });
  });

  it('names the variable that is wrong on standard error, and ends with 1', async () => {
    const { exit, said } = start({ SECRETS_KEY: 'short' });
    expect(await exit).toBe(1);
    expect(said.stderr).toBe(
      'control plane: SECRETS_KEY: expected at least 32 characters, got 5: make one with openssl rand -hex 32\n',
    );
  });
});

describe('a start that fails', () => {
  /** Returns what the process would write, without the half of a second that each takes to load the control plane. */
  async function failure(uri: string, env: TestEnvironment = {}): Promise<string> {
    const config = testConfig(uri, env);
    const starting = startControlPlane({ config, clock: systemClock, log: silentLog });
    return startFailure(await starting.catch((error: unknown) => error), config);
  }

  it('names the port and the variable when the port is taken', async () => {
    const squatter = createServer().listen(0);
    await once(squatter, 'listening');
    const { port } = squatter.address() as { port: number };
    expect(await failure(store.uri, { PORT: String(port) })).toBe(
      `port ${port} is taken by another program: set PORT to a free one`,
    );
    squatter.close();
  });

  it('says that the store does not answer', async () => {
    expect(await failure('mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=200')).toMatch(
      /^the store does not answer: check MONGODB_URI \(.+\)$/,
    );
  });
});
