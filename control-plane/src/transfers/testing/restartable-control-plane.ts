import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import type { TestAnswer } from '../../testing/control-plane.js';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** A control plane as a process of its own, to be killed and started again at the same address. */
export class RestartableControlPlane {
  readonly secret = 'an internal secret for tests';
  #child: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  static async start(
    mongodbUri: string,
    env: Readonly<Record<string, string>>,
  ): Promise<RestartableControlPlane> {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run "tsc -b control-plane" first`);
    const started = new RestartableControlPlane(await freePort(), { MONGODB_URI: mongodbUri, ...env });
    await started.start();
    return started;
  }

  async start(): Promise<void> {
    const child = fork(MAIN, {
      env: {
        PATH: process.env.PATH,
        PORT: String(this.port),
        INTERNAL_SECRET: this.secret,
        SECRETS_KEY: 'a key for secrets at rest, for tests',
        RATE_LIMIT_DEFAULT: '100000',
        RATE_LIMIT_DIAL: '100000',
        LOG_LEVEL: 'error',
        ...this.env,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the control plane ended with ${code}`);
    });
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => {});
  }

  /** Without a word. Idempotent. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  request(method: string, path: string, key: string, body?: unknown): Promise<TestAnswer> {
    return this.#send(method, path, `Bearer ${key}`, body);
  }

  internal(method: string, path: string, body?: unknown): Promise<TestAnswer> {
    const authorization = interPlaneAuthorization({ secret: this.secret, method, path, now: Date.now() });
    return this.#send(method, path, authorization, body);
  }

  async #send(method: string, path: string, authorization: string, body?: unknown): Promise<TestAnswer> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, json };
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
