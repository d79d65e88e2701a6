/** The most that speech holds, as Moonshine's authors recommend: longer output is a loop. Tokens a second. */
const TOKENS_PER_SECOND = 6.5;
/** Short words at the very edge of a short piece of audio. */
const EXTRA_TOKENS = 3;
/** A phrase of so many tokens at most that comes so often without a break is a loop. */
const LONGEST_LOOP = 6;
const REPEATS = 4;

/** Tokens that `seconds` of audio can hold. */
export function longestOutput(seconds: number): number {
  return Math.ceil(seconds * TOKENS_PER_SECOND) + EXTRA_TOKENS;
}

/**
 * Finds where the output began to repeat itself: how many tokens to keep (the phrase once); undefined while it does
 * not.
 */
export function loopStart(ids: readonly number[]): number | undefined {
  for (let size = 1; size <= LONGEST_LOOP; size++) {
    const needed = size * REPEATS;
    if (ids.length < needed) return undefined;
    const from = ids.length - needed;
    let repeats = true;
    for (let at = from + size; at < ids.length && repeats; at++) repeats = ids[at] === ids[at - size];
    if (repeats) return from + size;
  }
  return undefined;
}
