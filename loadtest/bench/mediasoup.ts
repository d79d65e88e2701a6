import { existsSync } from 'node:fs';
import { mediasoupWorkerLocation } from '@voice/shared/mediasoup-worker/environment';

/** Returns the variables by which a worker that the bench starts finds mediasoup's own, as this process would. */
export function mediasoupEnvironment(): NodeJS.ProcessEnv {
  const { MEDIASOUP_WORKER_BIN, XDG_CACHE_HOME } = process.env;
  return {
    ...(MEDIASOUP_WORKER_BIN === undefined ? {} : { MEDIASOUP_WORKER_BIN }),
    ...(XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME }),
  };
}

/** Returns the reason why WebRTC cannot be measured here; undefined where it can. */
export function whyNoWebRtc(): string | undefined {
  const { binary } = mediasoupWorkerLocation(process.env);
  if (existsSync(binary)) return undefined;
  return `mediasoup’s worker is not there (${binary}). Run: npm run mediasoup`;
}
