import { join } from 'node:path';

/** The version of the npm package `mediasoup` that the lock file holds: worker and library must be the same. */
export const MEDIASOUP_VERSION = '3.27.1';

export interface WorkerLocationOptions {
  /** `MEDIASOUP_WORKER_BIN`: a binary of the operator's own, used as it is. */
  readonly given?: string | undefined;
  /** `XDG_CACHE_HOME`; `~/.cache` without it (XDG Base Directory Specification). */
  readonly cacheHome?: string | undefined;
  readonly home: string;
  /** `process.arch` */
  readonly arch: string;
}

export interface WorkerLocation {
  readonly binary: string;
  /** Whether the operator named it: it is then neither fetched nor built. */
  readonly isGiven: boolean;
  /** Where its builder publishes how far it is (contract: `status.ts`). */
  readonly status: string;
}

/**
 * Returns where mediasoup's worker is, or will be once it is fetched or built: outside of the clone, so that all clones
 * and a fresh one share it.
 */
export function locateWorker(options: WorkerLocationOptions): WorkerLocation {
  const { given, cacheHome, home, arch } = options;
  const cache = cacheHome || join(home, '.cache');
  const folder = join(cache, 'voice-agent-platform', 'mediasoup-worker', `${MEDIASOUP_VERSION}-${arch}`);
  const binary = given || join(folder, 'mediasoup-worker');
  return { binary, isGiven: Boolean(given), status: `${binary}.status.json` };
}
