import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestProcess } from './process.js';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** The system as an operator runs it without the launcher: each process by itself, to be killed by itself. */
export class SeparateSystem {
  readonly internalSecret = hex(32);
  readonly dataDir = mkdtempSync(join(tmpdir(), 'voice-e2e-'));
  readonly #all: TestProcess[] = [];
  #controlPlaneEnv: NodeJS.ProcessEnv = {};
  apiUrl = '';

  static async start(env: NodeJS.ProcessEnv = {}): Promise<SeparateSystem> {
    const system = new SeparateSystem();
    await system.#start(env);
    return system;
  }

  /** Starts the control plane (again), on the same port. */
  async startControlPlane(): Promise<TestProcess> {
    return this.#run({ entry: 'control-plane/dist/main.js', env: this.#controlPlaneEnv });
  }

  controlPlane!: TestProcess;

  tail(count = 40): string {
    return this.#all
      .map(({ lines, errorLines }) => [...lines, ...errorLines].slice(-count).join('\n'))
      .join('\n');
  }

  async stop(): Promise<void> {
    for (const process of this.#all.reverse()) await process.stop(3000);
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #start(env: NodeJS.ProcessEnv): Promise<void> {
    const port = await freePort();
    this.apiUrl = `http://127.0.0.1:${port}`;
    const account = {
      SIMULATED_CARRIER_ACCOUNT_SID: `AC${hex(16)}`,
      SIMULATED_CARRIER_AUTH_TOKEN: hex(16),
    };
    const store = await this.#run({
      entry: 'infra/dist/embedded-store/main.js',
      args: ['--port', '0', '--data', join(this.dataDir, 'store')],
    });
    const carrier = await this.#run({
      entry: 'infra/dist/simulated-carrier/main.js',
      env: { SIMULATED_CARRIER_PORT: '0', ...account },
    });
    this.#controlPlaneEnv = {
      PORT: String(port),
      PUBLIC_URL: this.apiUrl,
      MONGODB_URI: `mongodb://127.0.0.1:${store.port}/voice`,
      DATA_DIR: this.dataDir,
      INTERNAL_SECRET: this.internalSecret,
      SECRETS_KEY: hex(32),
      SIMULATED_CARRIER_URL: carrier.url,
      RATE_LIMIT_DEFAULT: '100000',
      RATE_LIMIT_DIAL: '100000',
      ...account,
      ...env,
    };
    this.controlPlane = await this.startControlPlane();
    await this.#run({
      entry: 'media-plane/dist/main.js',
      env: {
        MEDIA_PORT: '0',
        CONTROL_PLANE_URL: this.apiUrl,
        INTERNAL_SECRET: this.internalSecret,
        WORKER_ID: 'worker-under-test',
        DATA_DIR: this.dataDir,
      },
    });
  }

  async #run(program: ConstructorParameters<typeof TestProcess>[0]): Promise<TestProcess> {
    const started = new TestProcess(program);
    this.#all.push(started);
    return started.ready();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
