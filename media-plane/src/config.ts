import { homedir, hostname, networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { type IceServer, iceServersVariable } from '@voice/shared/contracts/webrtc';
import { findLocalModels, type LocalModels } from '@voice/shared/local-models/local-models';
import { locateWorker, type WorkerLocation } from '@voice/shared/mediasoup-worker/location';
import { z } from 'zod';
import { chooseListenAddress, type ListenAddress } from './lines/webrtc/listen-address.js';

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
  /** UDP and TCP port of WebRTC; 0 chooses a free one. */
  WEBRTC_PORT: port.default(0),
  /** Address or name at which browsers reach that port, such as the public one behind a NAT. */
  WEBRTC_ANNOUNCED_ADDRESS: z
    .string()
    .regex(/^[\w.:-]{1,253}$/, 'must be an IP address or a host name')
    .optional(),
  /** STUN and TURN servers for browsers: a JSON list of RTCIceServer. */
  ICE_SERVERS: iceServersVariable,
  /** Mediasoup's worker; in the user's cache without it, where set-up puts it. */
  MEDIASOUP_WORKER_BIN: z.string().optional(),
  XDG_CACHE_HOME: z.string().optional(),
  /**
   * The internal listener (INTERNAL_PORT) of each replica of the control plane, by comma, or of a balancer before them.
   */
  CONTROL_PLANE_URL: z
    .string()
    .default('http://127.0.0.1:8082')
    .transform((list) => list.split(',').map((url) => url.trim().replace(/\/+$/, '')))
    .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1)),
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
  /** Where local models are: `npm run models`. */
  MODELS_DIR: z.string().optional(),
  /** A directory, the name of one in MODELS_DIR, or `off`. */
  LOCAL_STT_MODEL: z.string().optional(),
  LOCAL_TTS_MODEL: z.string().optional(),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
});

export interface WorkerConfig {
  readonly port: number;
  readonly host: string;
  readonly mediaPublicUrl: string | undefined;
  readonly controlUrl: string | undefined;
  readonly webRtc: {
    readonly port: number;
    readonly address: ListenAddress;
    readonly worker: WorkerLocation;
    readonly iceServers: readonly IceServer[];
  };
  /** Of each replica, the one to begin with first; without trailing slashes. */
  readonly controlPlaneUrls: readonly string[];
  readonly internalSecret: string;
  readonly workerId: string;
  readonly capacity: number;
  readonly drainMs: number;
  /** The worker's own folder: event spool, recordings and decision logs not yet accepted. */
  readonly spoolDir: string;
  readonly egressAllow: readonly string[];
  /** Models of this machine for the local speech to text and voice. */
  readonly models: LocalModels;
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
    webRtc: {
      port: value.WEBRTC_PORT,
      address: chooseListenAddress({
        host: value.MEDIA_HOST,
        announced: value.WEBRTC_ANNOUNCED_ADDRESS,
        addresses: machineAddresses(),
      }),
      worker: locateWorker({
        given: value.MEDIASOUP_WORKER_BIN,
        cacheHome: value.XDG_CACHE_HOME,
        home: homedir(),
        arch: process.arch,
      }),
      iceServers: value.ICE_SERVERS,
    },
    controlPlaneUrls: value.CONTROL_PLANE_URL,
    internalSecret: value.INTERNAL_SECRET,
    workerId: value.WORKER_ID,
    capacity: value.WORKER_CAPACITY,
    drainMs: value.WORKER_DRAIN_SECONDS * 1000,
    spoolDir: resolve(value.DATA_DIR, 'workers', value.WORKER_ID),
    egressAllow: value.EGRESS_ALLOW.split(',')
      .map((range) => range.trim())
      .filter((range) => range !== ''),
    models: findLocalModels({
      modelsDir: value.MODELS_DIR,
      cacheHome: value.XDG_CACHE_HOME,
      speechToText: value.LOCAL_STT_MODEL,
      textToSpeech: value.LOCAL_TTS_MODEL,
    }),
    logLevel: value.LOG_LEVEL,
  };
}

/** Returns the machine's own addresses, those that others may reach. */
function machineAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}
