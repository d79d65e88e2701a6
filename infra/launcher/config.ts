import { hostname } from 'node:os';
import { resolve } from 'node:path';
import {
  type VendorAccounts,
  vendorAccounts,
  vendorVariables,
} from '@voice/shared/catalogue/vendor-accounts';
import { ConfigurationError, parseEnvironment } from '@voice/shared/environment/environment';
import {
  choice,
  host,
  httpBaseUrl,
  mongodbUri,
  number,
  onOff,
  port,
  secret,
  url,
  wholeNumber,
} from '@voice/shared/environment/parsers';
import type { ListenAddress } from '@voice/shared/listen/url';
import { localModelSettings, localModelVariables } from '@voice/shared/local-models/environment';
import { findLocalModels, type LocalModels } from '@voice/shared/local-models/local-models';
import { z } from 'zod';
import type { BrowserFacts } from './browser-decision.js';
import { findOpener } from './open-browser.js';

const INTERNAL_PORT_DEFAULT = 8082;

/**
 * The variables that this process reads; `docs/configuration.md` is made from them.
 * @public
 */
export const environment = z.object({
  /** Port of API, docs and dashboard; 0 chooses a free one. */
  PORT: port.default(8080),
  /** Address on which the control planes listen; 0.0.0.0 for all of the machine's. */
  HOST: host.default('127.0.0.1'),
  /**
   * Port of what is between the planes and of /metrics; 0 chooses a free one, as PORT=0 does where it is not given.
   */
  INTERNAL_PORT: port.optional(),
  /** Address on which that port listens. */
  INTERNAL_HOST: host.default('127.0.0.1'),
  /** Port of the first media worker; 0 chooses a free one. Further workers always take free ones. */
  MEDIA_PORT: port.default(8081),
  /** UDP and TCP port of the first worker's WebRTC; the next worker has the next one; 0: each a free one. */
  WEBRTC_PORT: port.default(0),
  /** `off`: mediasoup's worker is neither downloaded nor built where it is missing. */
  MEDIASOUP_BUILD: onOff.prefault('on'),
  /** Port of the simulated carrier; 0 chooses a free one. */
  SIMULATED_CARRIER_PORT: port.default(0),
  /** How many media workers to run: one uses one core. */
  WORKERS: wholeNumber({ min: 1, max: 64, hint: 'without a worker no call can be taken' }).default(1),
  /** How many control planes to run on the one store; the first has `PORT`, further ones take free ports. */
  REPLICAS: wholeNumber({ min: 1, max: 16 }).default(1),
  /** Where everything is kept; made when missing. */
  DATA_DIR: z.string().default('./data'),
  /** Whether the embedded store is reached by a Unix socket in DATA_DIR, where there can be one. */
  STORE_SOCKET: onOff.prefault('on'),
  /** A MongoDB to use in place of the embedded store. */
  MONGODB_URI: mongodbUri.optional(),
  /** How the outside reaches the control plane. */
  PUBLIC_URL: httpBaseUrl.optional(),
  /** How carriers reach the worker's media streams; only with one worker. */
  MEDIA_PUBLIC_URL: url('ws', 'wss').optional(),
  /** Shared by the planes; made once and kept in DATA_DIR/secrets.json when not given. */
  INTERNAL_SECRET: secret(16).optional(),
  /** Encrypts credentials at rest; made once and kept when not given. */
  SECRETS_KEY: secret(32, 'make one with openssl rand -hex 32').optional(),
  /** Earlier ones, by comma. */
  SECRETS_KEYS_OLD: z.string().optional(),
  ...localModelVariables,
  /** `human` (prefixed, coloured on a terminal) or `json` (the processes' own lines). */
  LOG_FORMAT: choice(['human', 'json']).default('human'),
  /** `false`: no browser is opened, on a fresh installation neither. */
  OPEN_BROWSER: choice(['true', 'false']).default('true'),
  /** Any value switches colours off (https://no-color.org). */
  NO_COLOR: z.string().optional(),
  /** Set by the set-up: when the command was typed, epoch ms. */
  SETUP_STARTED_AT: number({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional(),
});

export interface LauncherConfig {
  readonly port: number;
  readonly host: string;
  /** Where the first control plane's internal listener is. */
  readonly internal: ListenAddress;
  readonly mediaPort: number;
  readonly webRtcPort: number;
  readonly buildsMediasoup: boolean;
  readonly simulatedCarrierPort: number;
  readonly workers: number;
  readonly replicas: number;
  readonly dataDir: string;
  readonly storeSocket: boolean;
  readonly mongodbUri: string | undefined;
  readonly publicUrl: string | undefined;
  readonly mediaPublicUrl: string | undefined;
  readonly internalSecret: string | undefined;
  readonly secretsKey: string | undefined;
  readonly secretsKeysOld: string | undefined;
  /** Models of this machine for local speech recognition and synthesis. */
  readonly models: LocalModels;
  /** Accounts of the installation, for its banner. */
  readonly vendors: VendorAccounts;
  readonly logFormat: 'human' | 'json';
  readonly colour: boolean;
  /** Whether a person reads what is printed, and no log keeps it. */
  readonly isTerminal: boolean;
  /** What decides whether the dashboard opens by itself. */
  readonly browser: Pick<BrowserFacts, 'isWanted' | 'platform' | 'env'> & {
    readonly opener: string | undefined;
  };
  readonly hostName: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** What the processes inherit: vendors' keys, limits, log level. */
  readonly inherited: NodeJS.ProcessEnv;
}

/** Reads and checks the environment. Throws a `ConfigurationError` that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env, now = Date.now()): LauncherConfig {
  const value = parseEnvironment(environment, env);
  if (value.MEDIA_PUBLIC_URL && value.WORKERS > 1) {
    throw new ConfigurationError(
      'MEDIA_PUBLIC_URL names one worker, WORKERS asks for more. Leave one of them out, or run each worker by itself (see docs/production.md).',
    );
  }
  return {
    port: value.PORT,
    host: value.HOST,
    internal: {
      host: value.INTERNAL_HOST,
      port: value.INTERNAL_PORT ?? (value.PORT === 0 ? 0 : INTERNAL_PORT_DEFAULT),
    },
    mediaPort: value.MEDIA_PORT,
    webRtcPort: value.WEBRTC_PORT,
    buildsMediasoup: value.MEDIASOUP_BUILD,
    simulatedCarrierPort: value.SIMULATED_CARRIER_PORT,
    workers: value.WORKERS,
    replicas: value.REPLICAS,
    dataDir: resolve(value.DATA_DIR),
    storeSocket: value.STORE_SOCKET,
    mongodbUri: value.MONGODB_URI,
    publicUrl: value.PUBLIC_URL,
    mediaPublicUrl: value.MEDIA_PUBLIC_URL,
    internalSecret: value.INTERNAL_SECRET,
    secretsKey: value.SECRETS_KEY,
    secretsKeysOld: value.SECRETS_KEYS_OLD,
    models: findLocalModels(localModelSettings(value)),
    vendors: vendorAccounts(parseEnvironment(z.object(vendorVariables), env)),
    logFormat: value.LOG_FORMAT,
    colour: value.NO_COLOR === undefined && process.stdout.isTTY === true,
    isTerminal: process.stdout.isTTY === true,
    browser: {
      isWanted: value.OPEN_BROWSER === 'true',
      platform: process.platform,
      env,
      opener: findOpener(process.platform, env.PATH ?? ''),
    },
    hostName: hostname(),
    startedAt: value.SETUP_STARTED_AT ?? now,
    inherited: withoutLaunchers(env),
  };
}

/** Variables of the launcher that its children read, too, as they are. */
const SHARED: ReadonlySet<string> = new Set(['NO_COLOR', ...Object.keys(localModelVariables)]);

/** Removes the launcher's own variables, which reach its children only by its decision. */
function withoutLaunchers(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = new Set<string>(Object.keys(environment.shape));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.has(name) || SHARED.has(name)));
}
