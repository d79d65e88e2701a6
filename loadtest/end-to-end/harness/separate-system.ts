import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningStoreUri } from '@voice/shared/embedded-store/access';
import { freePort } from '@voice/shared/listen/free-port';
import { TestProcess } from '../../system/process.js';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

export interface SystemOptions {
  readonly workerEnv?: NodeJS.ProcessEnv;
  /** Where the worker finds what is between the planes, if not there itself. */
  readonly linkTo?: (internalUrl: string) => Promise<string>;
  /** A simulated carrier that runs already, in place of one of its own. */
  readonly carrier?: { readonly url: string; readonly accountSid: string; readonly authToken: string };
}

/** The system as an operator runs it without the launcher: each process by itself, to be killed by itself. */
export class SeparateSystem {
  readonly internalSecret = hex(32);
  readonly dataDir = mkdtempSync(join(tmpdir(), 'voice-e2e-'));
  readonly #all: TestProcess[] = [];
  #controlPlaneEnv: NodeJS.ProcessEnv = {};
  #workerEnv: NodeJS.ProcessEnv = {};
  apiUrl = '';
  /** Of what is between the planes. */
  internalUrl = '';

  /** The environment is the control plane's; `options` are the other processes'. */
  static async start(env: NodeJS.ProcessEnv = {}, options: SystemOptions = {}): Promise<SeparateSystem> {
    const system = new SeparateSystem();
    await system.#start(env, options);
    return system;
  }

  /** Starts the control plane (again), on the same port. */
  async startControlPlane(): Promise<TestProcess> {
    return this.#run({ entry: 'control-plane/dist/main.js', env: this.#controlPlaneEnv });
  }

  /** Starts the worker (again), with the same name and folder. */
  async startWorker(): Promise<TestProcess> {
    this.worker = await this.#run({ entry: 'media-plane/dist/main.js', env: this.#workerEnv });
    await this.#workerTakesCalls();
    return this.worker;
  }

  controlPlane!: TestProcess;
  worker!: TestProcess;

  tail(count = 40): string {
    return this.#all
      .map(({ lines, errorLines }) => [...lines, ...errorLines].slice(-count).join('\n'))
      .join('\n');
  }

  async stop(): Promise<void> {
    for (const process of this.#all.reverse()) await process.stop(3000);
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #start(env: NodeJS.ProcessEnv, options: SystemOptions): Promise<void> {
    const [port, internalPort] = [await freePort(), await freePort()];
    this.apiUrl = `http://127.0.0.1:${port}`;
    this.internalUrl = `http://127.0.0.1:${internalPort}`;
    const account = {
      SIMULATED_CARRIER_ACCOUNT_SID: options.carrier?.accountSid ?? `AC${hex(16)}`,
      SIMULATED_CARRIER_AUTH_TOKEN: options.carrier?.authToken ?? hex(16),
    };
    const storeDir = join(this.dataDir, 'store');
    const store = await this.#run({
      entry: 'infra/dist/embedded-store/main.js',
      args: ['--port', '0', '--data', storeDir],
    });
    const carrier =
      options.carrier ??
      (await this.#run({
        entry: 'infra/dist/simulated-carrier/main.js',
        env: { SIMULATED_CARRIER_PORT: '0', ...account },
      }));
    this.#controlPlaneEnv = {
      PORT: String(port),
      INTERNAL_PORT: String(internalPort),
      PUBLIC_URL: this.apiUrl,
      MONGODB_URI: runningStoreUri({ port: store.port, dataDir: storeDir, database: 'voice' }),
      DATA_DIR: this.dataDir,
      INTERNAL_SECRET: this.internalSecret,
      SECRETS_KEY: hex(32),
      SIMULATED_CARRIER_URL: carrier.url,
      RATE_LIMIT_DEFAULT: '100000',
      RATE_LIMIT_SESSION: '100000',
      RATE_LIMIT_DIAL: '100000',
      ...account,
      ...env,
    };
    this.controlPlane = await this.startControlPlane();
    this.#workerEnv = {
      MEDIA_PORT: '0',
      CONTROL_PLANE_URL: (await options.linkTo?.(this.internalUrl)) ?? this.internalUrl,
      INTERNAL_SECRET: this.internalSecret,
      WORKER_ID: 'worker-under-test',
      DATA_DIR: this.dataDir,
      // The machine is busy with other tests.
      WORKER_LAG_LIMIT_MS: '0',
      ...options.workerEnv,
    };
    await this.startWorker();
  }

  /** The control plane knows of the worker only by its first heartbeat. */
  async #workerTakesCalls(): Promise<void> {
    for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(100)) {
      if ((await fetch(`${this.worker.url}/readyz`)).ok) return;
    }
    throw new Error(`the worker does not get ready:\n${this.tail()}`);
  }

  async #run(program: ConstructorParameters<typeof TestProcess>[0]): Promise<TestProcess> {
    const started = new TestProcess(program);
    this.#all.push(started);
    return started.ready();
  }
}
