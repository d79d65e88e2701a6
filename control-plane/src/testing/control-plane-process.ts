import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A built control plane in a process of its own. */
export interface ControlPlaneProcess {
  readonly port: number;
  /** Without a word; resolves when it is gone. Idempotent. */
  readonly kill: () => Promise<void>;
}

/** Starts one on a free port; `env` adds to or replaces the environment's variables. */
export async function startControlPlaneProcess(
  env: Readonly<Record<string, string>>,
): Promise<ControlPlaneProcess> {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run "tsc -b control-plane" first`);
  const child = fork(MAIN, {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: '0',
      SECRETS_KEY: 'a key for secrets at rest, for tests',
      RATE_LIMIT_DEFAULT: '100000',
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
  const [ready] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }];
  ended.catch(() => {});
  return {
    port: ready.port,
    kill: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
