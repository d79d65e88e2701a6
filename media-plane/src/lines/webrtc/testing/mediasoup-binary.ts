import { mediasoupWorkerLocation } from '@voice/shared/mediasoup-worker/environment';
import { workerBinaryState } from '../worker-binary.js';

/** Mediasoup's worker as tests find it; `npm test` brings it. */
export const mediasoupWorker = mediasoupWorkerLocation(process.env);

/**
 * Returns why tests that need it cannot run, and logs it, because a skipped test is easily overlooked; undefined where
 * they can.
 */
export function whyNoMediasoup(): string | undefined {
  const state = workerBinaryState(mediasoupWorker, Date.now());
  if (state.isThere) return undefined;
  process.stderr.write(`\n!!! WebRTC’s tests are SKIPPED: ${state.reason}\n\n`);
  return state.reason;
}
