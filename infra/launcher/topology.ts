import { join } from 'node:path';
import { urlAt } from '@voice/shared/listen/url';
import { nodeOptionsOf } from '@voice/shared/process/young-space';
import type { KeptSecrets } from '../installation/kept-secrets.js';
import type { ProcessSpec, RunningProcess } from './child-process.js';
import type { LauncherConfig } from './config.js';

export interface TopologyOptions {
  /** Of the repository. */
  readonly root: string;
  readonly config: LauncherConfig;
  readonly secrets: KeptSecrets;
}

/** The processes that make up the system, with each one's environment. Pure. */
export class Topology {
  readonly #options: TopologyOptions;

  constructor(options: TopologyOptions) {
    this.#options = options;
  }

  /** Where the embedded store keeps its files and its password. */
  get storeDir(): string {
    return join(this.#options.config.dataDir, 'store');
  }

  store(): ProcessSpec {
    return this.#process('store', 'store', 'infra/dist/embedded-store/main.js', {}, [
      '--port',
      '0',
      '--data',
      this.storeDir,
      '--socket',
      this.#options.config.storeSocket ? 'on' : 'off',
    ]);
  }

  carrier(): ProcessSpec {
    return this.#process('carrier', 'carrier', 'infra/dist/simulated-carrier/main.js', {
      SIMULATED_CARRIER_PORT: String(this.#options.config.simulatedCarrierPort),
      ...this.#carrierAccount(),
    });
  }

  /**
   * Specifies a control plane. `number` counts from 1; only the first has a chosen port, and its address is
   * published.
   */
  controlPlane(
    number: number,
    at: { readonly port: number; readonly mongodbUri: string; readonly carrierUrl: string },
  ): ProcessSpec {
    const { config, secrets } = this.#options;
    const name = number === 1 ? 'control-plane' : `control-plane-${number}`;
    return this.#process(name, 'control-plane', 'control-plane/dist/main.js', {
      HOST: config.host,
      PORT: number === 1 ? String(at.port) : '0',
      INTERNAL_HOST: config.internal.host,
      INTERNAL_PORT: number === 1 ? String(config.internal.port) : '0',
      PUBLIC_URL: config.publicUrl ?? urlAt({ host: config.host, port: at.port }),
      MONGODB_URI: at.mongodbUri,
      INTERNAL_SECRET: this.internalSecret,
      SECRETS_KEY: config.secretsKey ?? secrets.secrets_key,
      ...(config.secretsKeysOld ? { SECRETS_KEYS_OLD: config.secretsKeysOld } : {}),
      SIMULATED_CARRIER_URL: at.carrierUrl,
      ...this.#carrierAccount(),
    });
  }

  /**
   * Specifies a worker. `number` counts from 1; only the first has a chosen media port, WebRTC's are one after
   * another.
   */
  worker(number: number, at: { readonly controlPlaneUrl: string }): ProcessSpec {
    const { config, secrets } = this.#options;
    return this.#process(`worker-${number}`, 'worker', 'media-plane/dist/main.js', {
      MEDIA_PORT: number === 1 ? String(config.mediaPort) : '0',
      WEBRTC_PORT: String(config.webRtcPort === 0 ? 0 : config.webRtcPort + number - 1),
      ...(config.mediaPublicUrl ? { MEDIA_PUBLIC_URL: config.mediaPublicUrl } : {}),
      CONTROL_PLANE_URL: at.controlPlaneUrl,
      INTERNAL_SECRET: this.internalSecret,
      // The same after a restart, so that a worker finds the spool which its predecessor left.
      WORKER_ID: `${config.hostName.replace(/[^\w.-]/g, '-')}-${secrets.instance_id}-${number}`,
    });
  }

  get internalSecret(): string {
    return this.#options.config.internalSecret ?? this.#options.secrets.internal_secret;
  }

  #carrierAccount(): NodeJS.ProcessEnv {
    return {
      SIMULATED_CARRIER_ACCOUNT_SID: this.#options.secrets.simulated_carrier_account_sid,
      SIMULATED_CARRIER_AUTH_TOKEN: this.#options.secrets.simulated_carrier_auth_token,
    };
  }

  #process(
    name: string,
    role: ProcessSpec['role'],
    entry: string,
    env: NodeJS.ProcessEnv,
    args: readonly string[] = [],
  ): ProcessSpec {
    const { root, config } = this.#options;
    return {
      name,
      role,
      entry: join(root, entry),
      nodeArgs: [...nodeOptionsOf(role), ...(role === 'control-plane' ? [] : SOURCE_MAPS)],
      args,
      env: {
        // Compiled code is kept for the next start, which is then faster by half.
        NODE_COMPILE_CACHE: join(root, '.setup/compile-cache'),
        ...(role === 'control-plane' ? config.inherited : withoutCredentials(config.inherited)),
        DATA_DIR: config.dataDir,
        ...env,
      },
    };
  }
}

/** The control plane says it itself. A worker reads them as it starts, for its log, and not with calls on it, for an error. */
const SOURCE_MAPS = ['--enable-source-maps'];

/** Where a process serves. */
export type Ports = Pick<RunningProcess, 'port' | 'internalPort'>;

/** Returns the ports at which a process is to serve; 0 is any. */
export function portsOf({ role, args, env }: ProcessSpec): Ports {
  switch (role) {
    case 'store':
      return { port: Number(args[args.indexOf('--port') + 1]), internalPort: undefined };
    case 'carrier':
      return { port: Number(env.SIMULATED_CARRIER_PORT), internalPort: undefined };
    case 'control-plane':
      return { port: Number(env.PORT), internalPort: Number(env.INTERNAL_PORT) };
    case 'worker':
      return { port: Number(env.MEDIA_PORT), internalPort: undefined };
  }
}

/** Returns the same process at other ports: those that it had before, where others reach it. */
export function atPorts(spec: ProcessSpec, { port, internalPort }: Ports): ProcessSpec {
  switch (spec.role) {
    case 'store':
      return {
        ...spec,
        args: spec.args.map((arg, at) => (spec.args[at - 1] === '--port' ? String(port) : arg)),
      };
    case 'carrier':
      return { ...spec, env: { ...spec.env, SIMULATED_CARRIER_PORT: String(port) } };
    case 'control-plane':
      return {
        ...spec,
        env: { ...spec.env, PORT: String(port), INTERNAL_PORT: String(internalPort ?? 0) },
      };
    case 'worker':
      return { ...spec, env: { ...spec.env, MEDIA_PORT: String(port) } };
  }
}

/** Vendors' keys reach the control plane alone; a worker gets what a call needs with the call. */
const CREDENTIAL = /_(API_KEY|AUTH_TOKEN|ACCOUNT_SID|SECRET|SECRET_KEY|SECRET_ACCESS_KEY)$/;

function withoutCredentials(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !CREDENTIAL.test(name)));
}

export const localUrl = (port: number): string => `http://127.0.0.1:${port}`;
