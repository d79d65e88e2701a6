/**
 * The times of a transfer, known to both planes: an agent must not go on as if a transfer had failed while the
 * control plane may still bring the caller over.
 */

/** For how long a human's phone rings, in s. */
export const RING_SECONDS = 25;
/** From the wish to the last moment at which the caller may be brought over, in ms: the ringing, and the longest briefing. */
export const TRANSFER_LIMIT_MS = 75_000;
/** How long a bringing over that was begun by then may take until its outcome is known, in ms. */
export const OUTCOME_LIMIT_MS = 30_000;
/** Characters of a briefing: half a minute of speech. */
export const LONGEST_BRIEFING = 500;
