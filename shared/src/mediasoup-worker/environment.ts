import { homedir } from 'node:os';
import type { Environment } from '../environment/environment.js';
import { optionalText } from '../environment/parsers.js';
import { locateWorker, type WorkerLocation } from './location.js';

/** Environment variables that say where mediasoup's worker is. */
export const mediasoupWorkerVariables = {
  /** A binary of the operator's own: nothing is fetched or built. */
  MEDIASOUP_WORKER_BIN: optionalText,
  /** The user's cache folder; `~/.cache` without it. */
  XDG_CACHE_HOME: optionalText,
};

/** Locates mediasoup's worker on this machine by the variables, parsed or raw. */
export const mediasoupWorkerLocation = (
  vars: Readonly<Partial<Record<keyof typeof mediasoupWorkerVariables, string | undefined>>> | Environment,
): WorkerLocation =>
  locateWorker({
    given: vars.MEDIASOUP_WORKER_BIN,
    cacheHome: vars.XDG_CACHE_HOME,
    home: homedir(),
    arch: process.arch,
  });
