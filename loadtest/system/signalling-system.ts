import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runningStoreUri } from '@voice/shared/embedded-store/access';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { BuiltProgram } from '@voice/shared/process/built-program';
import { YOUNG_SPACE } from '@voice/shared/process/young-space';
import { Front } from './front.js';
import { SignallingWorker } from './signalling-worker.js';

const SECRET = 'an internal secret for the bench';
const ACCOUNT = { sid: `AC${'0'.repeat(32)}`, token: 'a token for the bench' };

export interface SignallingSystemOptions {
  readonly replicas: number;
  /** Given the carrier's address, returns where the control plane shall look for it; by default there. */
  readonly carrierUrl?: (url: string) => Promise<string>;
}

/**
 * A store, control planes behind a load balancer, and the simulated carrier without media: everything about a call but
 * what is said in it. For benches of the control plane, each part a process of its own.
 */
export class SignallingSystem {
  readonly front: Front;
  readonly internalFront: Front;
  readonly #children: BuiltProgram[] = [];
  readonly #dataDir: string;
  readonly replicas: BuiltProgram[] = [];
  store: BuiltProgram | undefined;
  #worker: SignallingWorker | undefined;

  private constructor(fronts: readonly [Front, Front], dataDir: string) {
    [this.front, this.internalFront] = fronts;
    this.#dataDir = dataDir;
  }

  static async start(options: SignallingSystemOptions): Promise<SignallingSystem> {
    const dataDir = await mkdtemp(join(tmpdir(), 'signalling-bench-'));
    const system = new SignallingSystem([await Front.start(), await Front.start()], dataDir);
    try {
      await system.#start(options);
      return system;
    } catch (error) {
      await system.stop();
      throw error;
    }
  }

  async #start({ replicas, carrierUrl = async (url) => url }: SignallingSystemOptions): Promise<void> {
    const storeArgs = ['--port', '0', '--data', this.#dataDir];
    this.store = await this.#program('infra/dist/embedded-store/main.js', storeArgs);
    const carrier = await this.#program('infra/dist/simulated-carrier/main.js', [], {
      SIMULATED_CARRIER_PORT: '0',
      SIMULATED_CARRIER_ACCOUNT_SID: ACCOUNT.sid,
      SIMULATED_CARRIER_AUTH_TOKEN: ACCOUNT.token,
      SIMULATED_CARRIER_MEDIA: 'off',
      LOG_LEVEL: 'error',
    });
    const address = await carrierUrl(`http://127.0.0.1:${carrier.port}`);
    for (let n = 0; n < replicas; n++) await this.#replica(this.store.port, address);
    this.#worker = await SignallingWorker.start({ secret: SECRET, controlPlane: this.internalFront.url });
  }

  /** Ends a replica at once, as a crash would. */
  kill(replica: BuiltProgram): void {
    this.front.remove(replica.port);
    this.internalFront.remove(replica.internalPort!);
    replica.kill();
  }

  /** Makes a tenant of the sandbox; returns their `Authorization`. */
  async tenant(name: string): Promise<string> {
    const path = '/internal/keys';
    const body = JSON.stringify({ name, sandbox: true, tenant: name });
    const signed = { secret: SECRET, method: 'POST', path, body, now: Date.now() };
    const made = await this.request('POST', path, interPlaneAuthorization(signed), body);
    return `Bearer ${String(made.key)}`;
  }

  /** Sends a request and reads its answer. Throws where it is refused. */
  async request(
    method: string,
    path: string,
    authorization: string,
    value?: unknown,
  ): Promise<Record<string, unknown>> {
    const body = value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
    const { url } = path.startsWith('/internal/') ? this.internalFront : this.front;
    const response = await fetch(url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json', connection: 'close' },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  async stop(): Promise<void> {
    this.#worker?.close();
    this.front.close();
    this.internalFront.close();
    await Promise.all(this.#children.map((child) => child.stop()));
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  async #replica(storePort: number, carrierUrl: string): Promise<void> {
    const child = await this.#program('control-plane/dist/main.js', [], {
      PORT: '0',
      PUBLIC_URL: this.front.url,
      MONGODB_URI: runningStoreUri({ port: storePort, dataDir: this.#dataDir, database: 'bench' }),
      DATA_DIR: this.#dataDir,
      INTERNAL_SECRET: SECRET,
      SECRETS_KEY: 'a key for secrets at rest, for the bench',
      RATE_LIMIT_DEFAULT: '1000000',
      RATE_LIMIT_DIAL: '1000000',
      RATE_LIMIT_CAMPAIGN_DISPATCH: '1000000',
      SIMULATED_CARRIER_URL: carrierUrl,
      SIMULATED_CARRIER_ACCOUNT_SID: ACCOUNT.sid,
      SIMULATED_CARRIER_AUTH_TOKEN: ACCOUNT.token,
      LOG_LEVEL: 'error',
    });
    this.front.add(child.port);
    this.internalFront.add(child.internalPort!);
    this.replicas.push(child);
  }

  async #program(entry: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<BuiltProgram> {
    const child = await BuiltProgram.start(entry, args, env, [YOUNG_SPACE]);
    this.#children.push(child);
    return child;
  }
}
