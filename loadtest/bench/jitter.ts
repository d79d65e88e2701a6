import { FRAME_MS } from '@voice/shared/audio/g711';

/** Frames further apart than this were not sent one after the other: the agent was silent in between. */
const LONGEST_GAP_MS = 3 * FRAME_MS;
/** Frames this close together are the lead that a turn begins with. */
const SHORTEST_GAP_MS = FRAME_MS / 2;

/**
 * Returns by how much a frame's distance from the one before it differs from 20 ms; undefined where they do not follow
 * each other. All in ms.
 */
export function jitterOf(gapMs: number): number | undefined {
  if (gapMs < SHORTEST_GAP_MS || gapMs > LONGEST_GAP_MS) return undefined;
  return Math.abs(gapMs - FRAME_MS);
}
