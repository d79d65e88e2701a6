import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65535);

const environment = z.object({
  /** Port of media streams and commands; 0 chooses a free one. */
  MEDIA_PORT: port.default(8081),
  /** How carriers reach this worker's media streams, e.g. `wss://media-3.example.com`. */
  MEDIA_PUBLIC_URL: z.url({ protocol: /^wss?$/ }).optional(),
  /** How the control plane reaches this worker's commands; derived from the port by default. */
  MEDIA_CONTROL_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Address to listen on. */
  MEDIA_HOST: z.string().default('127.0.0.1'),
  CONTROL_PLANE_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8080'),
  /** Shared by the planes; signs what they say to each other. */
  INTERNAL_SECRET: z.string().min(16, 'must have at least 16 characters'),
  WORKER_ID: z
    .string()
    .regex(/^[\w.-]{1,128}$/, 'letters, digits, dots, dashes and underscores')
    .default(`${hostname()}-${process.pid}`),
  /** Calls that this worker holds at once. */
  WORKER_CAPACITY: z.coerce.number().int().min(1).max(10_000).default(100),
  /** How long a draining worker waits for its live calls, in seconds. */
  WORKER_DRAIN_SECONDS: z.coerce.number().int().min(0).max(86_400).default(1800),
  DATA_DIR: z.string().default('./data'),
  /** CIDR ranges, separated by commas, that tenants' tool URLs may reach although they are private. */
  EGRESS_ALLOW: z.string().default(''),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
});

export interface WorkerConfig {
  readonly port: number;
  readonly host: string;
  readonly mediaPublicUrl: string | undefined;
  readonly controlUrl: string | undefined;
  readonly controlPlaneUrl: string;
  readonly internalSecret: string;
  readonly workerId: string;
  readonly capacity: number;
  readonly drainMs: number;
  /** The worker's own folder: event spool, recordings and decision logs not yet accepted. */
  readonly spoolDir: string;
  readonly egressAllow: readonly string[];
  readonly logLevel: string;
}

/** Reads and checks the environment. Throws an error that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): WorkerConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The environment is not right. ${problems.join('; ')}`);
  }
  const value = parsed.data;
  return {
    port: value.MEDIA_PORT,
    host: value.MEDIA_HOST,
    mediaPublicUrl: value.MEDIA_PUBLIC_URL?.replace(/\/$/, ''),
    controlUrl: value.MEDIA_CONTROL_URL?.replace(/\/$/, ''),
    controlPlaneUrl: value.CONTROL_PLANE_URL.replace(/\/$/, ''),
    internalSecret: value.INTERNAL_SECRET,
    workerId: value.WORKER_ID,
    capacity: value.WORKER_CAPACITY,
    drainMs: value.WORKER_DRAIN_SECONDS * 1000,
    spoolDir: resolve(value.DATA_DIR, 'workers', value.WORKER_ID),
    egressAllow: value.EGRESS_ALLOW.split(',')
      .map((range) => range.trim())
      .filter((range) => range !== ''),
    logLevel: value.LOG_LEVEL,
  };
}
