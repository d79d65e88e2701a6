import { FRAME_MS } from '@voice/shared/audio/g711';

/** Messages further apart than the one before lasts, by this factor, did not follow it: the agent was silent. */
const LONGEST_GAP = 3;
/** Messages this close together are the lead that a turn begins with. */
const SHORTEST_GAP = 0.5;

/**
 * Returns by how much a message's distance from the one before it differs from the audio in that; undefined where they
 * do not follow each other. All in ms.
 */
export function jitterOf(gapMs: number, lastsMs: number = FRAME_MS): number | undefined {
  if (gapMs < SHORTEST_GAP * lastsMs || gapMs > LONGEST_GAP * lastsMs) return undefined;
  return Math.abs(gapMs - lastsMs);
}
