import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

interface StartMessage {
  readonly type: string;
  readonly port?: number;
  readonly internal_port?: number;
}

/** A built control plane in a process of its own. */
export interface ControlPlaneProcess {
  readonly port: number;
  /** Of its internal listener. */
  readonly internalPort: number;
  /** Without a word; resolves when it is gone. Idempotent. */
  readonly kill: () => Promise<void>;
}

/** Starts one on a free port; `env` adds to or replaces the environment's variables. */
export async function startControlPlaneProcess(
  env: Readonly<Record<string, string>>,
): Promise<ControlPlaneProcess> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run "tsc -b control-plane" first`);
  const child = fork(MAIN, {
    // Without the test runner's own, as in production.
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      SECRETS_KEY: 'a key for secrets at rest, for tests',
      RATE_LIMIT_DEFAULT: '100000',
      RATE_LIMIT_SESSION: '100000',
      RATE_LIMIT_DIAL: '100000',
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  const ended = gone.then(([code]) => {
    throw new Error(`the control plane ended with ${code}`);
  });
  // Before that it reports the progress of its start.
  const ready = new Promise<{ port: number; internalPort: number }>((resolve) => {
    child.on('message', ({ type, port, internal_port: internalPort }: StartMessage) => {
      if (type === 'ready' && port !== undefined && internalPort !== undefined) {
        resolve({ port, internalPort });
      }
    });
  });
  const ports = await Promise.race([ready, ended]);
  ended.catch(() => {});
  return {
    ...ports,
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
