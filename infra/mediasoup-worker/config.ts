import { availableParallelism, freemem, platform, release } from 'node:os';
import { parseEnvironment } from '@voice/shared/environment/environment';
import { httpBaseUrl } from '@voice/shared/environment/parsers';
import {
  mediasoupWorkerLocation,
  mediasoupWorkerVariables,
} from '@voice/shared/mediasoup-worker/environment';
import type { WorkerLocation } from '@voice/shared/mediasoup-worker/location';
import { z } from 'zod';

/**
 * The variables that this process reads; `docs/configuration.md` is made from them.
 * @public
 */
export const environment = z.object({
  ...mediasoupWorkerVariables,
  /** A mirror of mediasoup's releases (the variable is mediasoup's own). */
  MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL: httpBaseUrl.default(
    'https://github.com/versatica/mediasoup/releases/download',
  ),
});

export interface ObtainConfig {
  readonly location: WorkerLocation;
  readonly downloadBaseUrl: string;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** Of the kernel, as `uname -r`. */
  readonly kernel: string;
  readonly isRoot: boolean;
  /** Compilers at once. */
  readonly jobs: number;
}

/** The largest sources of the worker take a compiler about this much memory, in bytes. */
const BYTES_PER_COMPILER = 700e6;

/** Reads and checks the environment. Throws a `ConfigurationError` that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): ObtainConfig {
  const value = parseEnvironment(environment, env);
  return {
    location: mediasoupWorkerLocation(value),
    downloadBaseUrl: value.MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL,
    platform: platform(),
    arch: process.arch,
    kernel: release(),
    isRoot: process.getuid?.() === 0,
    jobs: Math.max(1, Math.min(availableParallelism(), Math.floor(freemem() / BYTES_PER_COMPILER))),
  };
}
