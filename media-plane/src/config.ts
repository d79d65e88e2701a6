import { hostname, networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { parseEnvironment } from '@voice/shared/environment/environment';
import {
  baseUrl,
  host,
  httpBaseUrl,
  httpBaseUrls,
  list,
  logLevel,
  matching,
  port,
  seconds,
  secret,
  wholeNumber,
} from '@voice/shared/environment/parsers';
import { localModelSettings, localModelVariables } from '@voice/shared/local-models/environment';
import { findLocalModels, type LocalModels } from '@voice/shared/local-models/local-models';
import {
  mediasoupWorkerLocation,
  mediasoupWorkerVariables,
} from '@voice/shared/mediasoup-worker/environment';
import type { WorkerLocation } from '@voice/shared/mediasoup-worker/location';
import { type TracingSettings, tracingSettings, tracingVariables } from '@voice/shared/tracing/settings';
import { z } from 'zod';
import { chooseListenAddress, type ListenAddress } from './lines/webrtc/listen-address.js';
import type { AnswerLimits } from './providers/resilience/answer-policy.js';
import { DEFAULT_ANSWER_LIMITS } from './providers/resilience/limits.js';

/**
 * The variables that this process reads; `docs/configuration.md` is made from them.
 * @public
 */
export const environment = z.object({
  /** Port of media streams and commands; 0 chooses a free one. */
  MEDIA_PORT: port.default(8081),
  /** How carriers reach this worker's media streams, e.g. `wss://media-3.example.com`. */
  MEDIA_PUBLIC_URL: baseUrl('ws', 'wss').optional(),
  /** How the control plane reaches this worker's commands; derived from the port by default. */
  MEDIA_CONTROL_URL: httpBaseUrl.optional(),
  /** Address to listen on. */
  MEDIA_HOST: host.default('127.0.0.1'),
  /** UDP and TCP port of WebRTC; 0 chooses a free one. */
  WEBRTC_PORT: port.default(0),
  /** Address or name at which browsers reach that port, such as the public one behind a NAT. */
  WEBRTC_ANNOUNCED_ADDRESS: host.optional(),
  ...mediasoupWorkerVariables,
  /**
   * The internal listener (INTERNAL_PORT) of each replica of the control plane, by comma, or of a balancer before them.
   */
  CONTROL_PLANE_URL: httpBaseUrls.default(['http://127.0.0.1:8082']),
  /** Shared by the planes; signs what they say to each other. */
  INTERNAL_SECRET: secret(16),
  WORKER_ID: matching(/^[\w.-]{1,128}$/, 'letters, digits, dots, dashes and underscores').default(
    `${hostname()}-${process.pid}`,
  ),
  /** Label of where the worker runs; calls of tenants of that label are placed here first. */
  WORKER_REGION: matching(/^[\w.-]{1,64}$/, 'letters, digits, dots, dashes and underscores').optional(),
  /** Calls that this worker holds at once. */
  WORKER_CAPACITY: wholeNumber({ min: 1, max: 10_000 }).default(100),
  /**
   * How late the event loop may be (99th percentile of 5 seconds) before no more calls are taken beside those it holds,
   * in ms; 0: however late.
   */
  WORKER_LAG_LIMIT_MS: wholeNumber({ min: 0, max: 10_000 }).default(20),
  /** To a language model's first output, in ms: past it the fallback is asked, or the same model once more beside it. */
  FIRST_TOKEN_BUDGET_MS: wholeNumber({ min: 200, max: 30_000 }).default(DEFAULT_ANSWER_LIMITS.firstTokenMs),
  /** From the end of the caller's turn to the answer's first audio, in ms: past it the agent apologises. */
  TURN_DEADLINE_MS: wholeNumber({ min: 1000, max: 60_000 }).default(DEFAULT_ANSWER_LIMITS.turnMs),
  /** How long a draining worker waits for its live calls, in seconds. */
  WORKER_DRAIN_SECONDS: seconds({ min: 0, max: 86_400 }).prefault('1800'),
  DATA_DIR: z.string().default('./data'),
  /** CIDR ranges, separated by commas, that tenants' tool URLs may reach although they are private. */
  EGRESS_ALLOW: list.default([]),
  ...localModelVariables,
  ...tracingVariables,
  LOG_LEVEL: logLevel.default('info'),
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
  };
  /** Of each replica, the one to begin with first; without trailing slashes. */
  readonly controlPlaneUrls: readonly string[];
  readonly internalSecret: string;
  readonly workerId: string;
  readonly region: string | undefined;
  readonly capacity: number;
  readonly lagLimitMs: number;
  readonly answerLimits: AnswerLimits;
  readonly drainMs: number;
  /** The worker's own folder: event spool, recordings and decision logs not yet accepted. */
  readonly spoolDir: string;
  readonly egressAllow: readonly string[];
  /** Models of this machine for the local speech to text and voice. */
  readonly models: LocalModels;
  /** Where spans go; undefined: nothing is traced. */
  readonly tracing: TracingSettings | undefined;
  readonly logLevel: string;
}

/** Reads and checks the environment. Throws a `ConfigurationError` that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): WorkerConfig {
  const value = parseEnvironment(environment, env);
  return {
    port: value.MEDIA_PORT,
    host: value.MEDIA_HOST,
    mediaPublicUrl: value.MEDIA_PUBLIC_URL,
    controlUrl: value.MEDIA_CONTROL_URL,
    webRtc: {
      port: value.WEBRTC_PORT,
      address: chooseListenAddress({
        host: value.MEDIA_HOST,
        announced: value.WEBRTC_ANNOUNCED_ADDRESS,
        addresses: machineAddresses(),
      }),
      worker: mediasoupWorkerLocation(value),
    },
    controlPlaneUrls: value.CONTROL_PLANE_URL,
    internalSecret: value.INTERNAL_SECRET,
    workerId: value.WORKER_ID,
    region: value.WORKER_REGION,
    capacity: value.WORKER_CAPACITY,
    lagLimitMs: value.WORKER_LAG_LIMIT_MS,
    answerLimits: { firstTokenMs: value.FIRST_TOKEN_BUDGET_MS, turnMs: value.TURN_DEADLINE_MS },
    drainMs: value.WORKER_DRAIN_SECONDS,
    spoolDir: resolve(value.DATA_DIR, 'workers', value.WORKER_ID),
    egressAllow: value.EGRESS_ALLOW,
    models: findLocalModels(localModelSettings(value)),
    tracing: tracingSettings(value),
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
