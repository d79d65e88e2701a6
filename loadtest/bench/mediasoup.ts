import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { locateWorker } from '@voice/shared/mediasoup-worker/location';

/** Where a worker that the bench starts finds mediasoup's own, as this process would. */
export function mediasoupEnvironment(): NodeJS.ProcessEnv {
  const { MEDIASOUP_WORKER_BIN, XDG_CACHE_HOME } = process.env;
  return {
    ...(MEDIASOUP_WORKER_BIN === undefined ? {} : { MEDIASOUP_WORKER_BIN }),
    ...(XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME }),
  };
}

/** Why WebRTC cannot be measured here; undefined where it can. */
export function whyNoWebRtc(): string | undefined {
  const { binary } = locateWorker({
    given: process.env.MEDIASOUP_WORKER_BIN,
    cacheHome: process.env.XDG_CACHE_HOME,
    home: homedir(),
    arch: process.arch,
  });
  if (existsSync(binary)) return undefined;
  return `mediasoup’s worker is not there (${binary}). Run: npm run mediasoup`;
}
