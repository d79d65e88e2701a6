import { WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';

/** Since when somebody has been listening to heartbeats without a gap. Epoch ms. */
export interface Observation {
  readonly observingSince: number;
  readonly lastLookAt: number;
}

/** A pause between two looks from which on heartbeats may have gone unheard, in ms. */
const OBSERVATION_GAP_MS = 6000;

/**
 * Silence proves a worker dead only while somebody listened: after an outage of the control plane or the
 * store every worker looks silent. So each look notes its time, and a gap starts the listening anew. Pure.
 */
export function observe(before: Observation | null, now: number): Observation {
  const unbroken = before !== null && Math.abs(now - before.lastLookAt) <= OBSERVATION_GAP_MS;
  return { observingSince: unbroken ? before.observingSince : now, lastLookAt: now };
}

/**
 * Returns whether the listening has lasted long enough to distinguish a dead worker from an unheard one. Looks by
 * processes that end again and again join to an unbroken row and yet receive next to nothing, so the process that
 * judges has itself been there as long: `presentMs`, since its own first look. Pure.
 */
export function mayJudge(observation: Observation, presentMs: number): boolean {
  const listenedMs = observation.lastLookAt - observation.observingSince;
  return Math.min(listenedMs, presentMs) >= WORKER_LOST_AFTER_MS;
}
