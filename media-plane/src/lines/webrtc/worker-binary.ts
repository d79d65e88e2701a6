import { accessSync, constants } from 'node:fs';
import type { WorkerLocation } from '@voice/shared/mediasoup-worker/location';
import { readWorkerBuildStatus, STATUS_INTERVAL_MS } from '@voice/shared/mediasoup-worker/status';

export type WorkerBinaryState =
  | { readonly isThere: true }
  | { readonly isThere: false; readonly reason: string; readonly readyInSeconds: number | undefined };

/** After this long without a word the builder is taken for dead, in ms. */
const STALE_MS = 6 * STATUS_INTERVAL_MS;

/**
 * Returns whether mediasoup's worker is there by now; else why not, and when. It appears while the process runs: the
 * launcher builds it in the background the first time. Cheap enough for every heartbeat.
 * @param now epoch ms
 */
export function workerBinaryState(location: WorkerLocation, now: number): WorkerBinaryState {
  if (isExecutable(location.binary)) return { isThere: true };
  const missing = (reason: string, readyInSeconds?: number): WorkerBinaryState => ({
    isThere: false,
    reason,
    readyInSeconds,
  });
  if (location.isGiven) {
    return missing('MEDIASOUP_WORKER_BIN names no file that can be executed. Correct or unset it.');
  }
  const status = readWorkerBuildStatus(location.status);
  if (status?.state === 'failed') return missing(`mediasoup’s worker could not be had. ${status.reason}`);
  if (status?.state === 'working' && now - status.updated_at < STALE_MS) {
    return missing(`mediasoup’s worker is on its way: ${status.step}.`, status.seconds_left ?? undefined);
  }
  return missing('mediasoup’s worker is not there. Run: npm run mediasoup');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
