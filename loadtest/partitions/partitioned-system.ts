import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runningStoreUri } from '@voice/shared/embedded-store/access';
import { BuiltProgram } from '@voice/shared/process/built-program';
import { TestProcess } from '../system/process.js';
import { type Cable, WorkerNetwork } from './network.js';

const SECRET = 'an internal secret for partitions';
const ACCOUNT = {
  SIMULATED_CARRIER_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
  SIMULATED_CARRIER_AUTH_TOKEN: 'a token for partitions',
};
/** In a namespace of its own every port is free. */
const MEDIA_PORT = 8081;

/** A whole system whose worker is on a network of its own: one cable to the control plane, one to the carrier. */
export class PartitionedSystem {
  readonly internalSecret = SECRET;
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'partitions-'));
  readonly #network: WorkerNetwork;
  readonly #planes: Cable;
  readonly #media: Cable;
  readonly #programs: BuiltProgram[] = [];
  #controlPlane: BuiltProgram | undefined;
  #worker: TestProcess | undefined;
  readonly #relays: TestProcess[] = [];

  private constructor(network: WorkerNetwork) {
    this.#network = network;
    this.#planes = network.cable(1);
    this.#media = network.cable(2);
  }

  /** @throws NoNamespaces where the machine has no network namespaces for us */
  static async start(): Promise<PartitionedSystem> {
    const network = WorkerNetwork.create(`vap${process.pid}`);
    let system: PartitionedSystem | undefined;
    try {
      system = new PartitionedSystem(network);
      await system.#start();
      return system;
    } catch (error) {
      await system?.stop();
      network.remove();
      throw error;
    }
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.#controlPlane!.port}`;
  }

  get internalUrl(): string {
    return `http://${this.#planes.here}:${this.#controlPlane!.internalPort}`;
  }

  /** Cuts the planes from each other; the calls' media go on. */
  cutPlanes(): void {
    this.#network.cut(this.#planes);
  }

  mendPlanes(): void {
    this.#network.mend(this.#planes);
  }

  /** Returns how many events the worker has that no control plane has accepted. */
  async spooled(): Promise<number> {
    const metrics = await (await fetch(`http://${this.#media.there}:${MEDIA_PORT}/metrics`)).text();
    return Number(/^worker_events_spooled (\d+)$/m.exec(metrics)?.[1] ?? Number.NaN);
  }

  async stop(): Promise<void> {
    await this.#worker?.stop(5000);
    await Promise.all(this.#relays.map((relay) => relay.stop()));
    await Promise.all(this.#programs.map((program) => program.stop()));
    this.#network.remove();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const store = await this.#program('infra/dist/embedded-store/main.js', [
      '--port',
      '0',
      '--data',
      this.#dataDir,
    ]);
    const carrier = await this.#program('infra/dist/simulated-carrier/main.js', [], {
      SIMULATED_CARRIER_PORT: '0',
      ...ACCOUNT,
      LOG_LEVEL: 'error',
    });
    await this.#shareLoopback(carrier.port);
    const common = { DATA_DIR: this.#dataDir, INTERNAL_SECRET: SECRET, LOG_LEVEL: 'error' };
    this.#controlPlane = await this.#program('control-plane/dist/main.js', [], {
      ...common,
      PORT: '0',
      INTERNAL_PORT: '0',
      INTERNAL_HOST: this.#planes.here,
      MONGODB_URI: runningStoreUri({ port: store.port, dataDir: this.#dataDir, database: 'partitions' }),
      SECRETS_KEY: 'a key for secrets at rest, for partitions',
      RATE_LIMIT_DEFAULT: '100000',
      SIMULATED_CARRIER_URL: `http://127.0.0.1:${carrier.port}`,
      ...ACCOUNT,
    });
    this.#worker = await new TestProcess({
      through: this.#network.prefix,
      entry: 'media-plane/dist/main.js',
      env: {
        ...common,
        WORKER_ID: 'cut-off',
        WORKER_LAG_LIMIT_MS: '0',
        MEDIA_HOST: '0.0.0.0',
        MEDIA_PORT: String(MEDIA_PORT),
        MEDIA_PUBLIC_URL: `ws://${this.#media.there}:${MEDIA_PORT}`,
        MEDIA_CONTROL_URL: `http://${this.#planes.there}:${MEDIA_PORT}`,
        CONTROL_PLANE_URL: this.internalUrl,
      },
    }).ready();
  }

  /** The carrier shows what its people say at its own loopback: it is passed on to the worker's. */
  async #shareLoopback(port: number): Promise<void> {
    const entry = 'loadtest/dist/partitions/relay.js';
    const here = new TestProcess({ entry, args: [this.#media.here, String(port), '127.0.0.1'] });
    const there = new TestProcess({
      through: this.#network.prefix,
      entry,
      args: ['127.0.0.1', String(port), this.#media.here],
    });
    this.#relays.push(here, there);
    await Promise.all(this.#relays.map((relay) => relay.ready()));
  }

  async #program(entry: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<BuiltProgram> {
    const program = await BuiltProgram.start(entry, args, env);
    this.#programs.push(program);
    return program;
  }
}
