import { availableParallelism, freemem, homedir, platform, release } from 'node:os';
import { locateWorker, type WorkerLocation } from '@voice/shared/mediasoup-worker/location';
import { z } from 'zod';

const environment = z.object({
  /** A binary of your own: nothing is fetched or built. */
  MEDIASOUP_WORKER_BIN: z.string().optional(),
  /** The user's cache folder; `~/.cache` without it. */
  XDG_CACHE_HOME: z.string().optional(),
  /** A mirror of mediasoup's releases (the variable is mediasoup's own). */
  MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://github.com/versatica/mediasoup/releases/download'),
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

/** Reads and checks the environment. Throws an error that names each wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): ObtainConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The environment is not right. ${problems.join('; ')}`);
  }
  return {
    location: locateWorker({
      given: parsed.data.MEDIASOUP_WORKER_BIN,
      cacheHome: parsed.data.XDG_CACHE_HOME,
      home: homedir(),
      arch: process.arch,
    }),
    downloadBaseUrl: parsed.data.MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL.replace(/\/$/, ''),
    platform: platform(),
    arch: process.arch,
    kernel: release(),
    isRoot: process.getuid?.() === 0,
    jobs: Math.max(1, Math.min(availableParallelism(), Math.floor(freemem() / BYTES_PER_COMPILER))),
  };
}
