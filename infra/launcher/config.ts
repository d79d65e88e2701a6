import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65535);

const environment = z.object({
  /** Port of API, docs and dashboard; 0 chooses a free one. */
  PORT: port.default(8080),
  /** Port of the first media worker; 0 chooses a free one. Further workers always take free ones. */
  MEDIA_PORT: port.default(8081),
  /** Port of the simulated carrier; 0 chooses a free one. */
  SIMULATED_CARRIER_PORT: port.default(0),
  /** How many media workers to run: one uses one core. */
  WORKERS: z.coerce.number().int().min(0).max(64).default(1),
  /** How many control planes to run on the one store; the first has `PORT`, further ones take free ports. */
  REPLICAS: z.coerce.number().int().min(1).max(16).default(1),
  /** Where everything is kept; made when missing. */
  DATA_DIR: z.string().default('./data'),
  /** A MongoDB to use in place of the embedded store. */
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://')
    .optional(),
  /** How the outside reaches the control plane. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** How carriers reach the worker's media streams; only with one worker. */
  MEDIA_PUBLIC_URL: z.url({ protocol: /^wss?$/ }).optional(),
  /** Shared by the planes; made once and kept in DATA_DIR/secrets.json when not given. */
  INTERNAL_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** Encrypts credentials at rest; made once and kept when not given. */
  SECRETS_KEY: z.string().min(32, 'must have at least 32 characters (openssl rand -hex 32)').optional(),
  /** `human` (prefixed, coloured on a terminal) or `json` (the processes' own lines). */
  LOG_FORMAT: z.enum(['human', 'json']).default('human'),
  /** Any value switches colours off (https://no-color.org). */
  NO_COLOR: z.string().optional(),
  /** Set by the set-up: when the command was typed, epoch ms. */
  SETUP_STARTED_AT: z.coerce.number().optional(),
});

export interface LauncherConfig {
  readonly port: number;
  readonly mediaPort: number;
  readonly simulatedCarrierPort: number;
  readonly workers: number;
  readonly replicas: number;
  readonly dataDir: string;
  readonly mongodbUri: string | undefined;
  readonly publicUrl: string | undefined;
  readonly mediaPublicUrl: string | undefined;
  readonly internalSecret: string | undefined;
  readonly secretsKey: string | undefined;
  readonly logFormat: 'human' | 'json';
  readonly colour: boolean;
  readonly hostName: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** What the processes inherit: vendors' keys, limits, log level. */
  readonly inherited: NodeJS.ProcessEnv;
}

/** Reads and checks the environment. Throws an error that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env, now = Date.now()): LauncherConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The environment is not right. ${problems.join('; ')}`);
  }
  const value = parsed.data;
  if (value.MEDIA_PUBLIC_URL && value.WORKERS > 1) {
    throw new Error(
      'MEDIA_PUBLIC_URL names one worker, WORKERS asks for more. Leave one of them out, or run each worker by itself (see the README).',
    );
  }
  return {
    port: value.PORT,
    mediaPort: value.MEDIA_PORT,
    simulatedCarrierPort: value.SIMULATED_CARRIER_PORT,
    workers: value.WORKERS,
    replicas: value.REPLICAS,
    dataDir: resolve(value.DATA_DIR),
    mongodbUri: value.MONGODB_URI,
    publicUrl: value.PUBLIC_URL?.replace(/\/$/, ''),
    mediaPublicUrl: value.MEDIA_PUBLIC_URL,
    internalSecret: value.INTERNAL_SECRET,
    secretsKey: value.SECRETS_KEY,
    logFormat: value.LOG_FORMAT,
    colour: value.NO_COLOR === undefined && process.stdout.isTTY === true,
    hostName: hostname(),
    startedAt: value.SETUP_STARTED_AT ?? now,
    inherited: withoutLaunchers(env),
  };
}

/** The launcher's own variables do not reach its children but by its decision. */
function withoutLaunchers(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = new Set<string>(Object.keys(environment.shape));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.has(name) || name === 'NO_COLOR'));
}
