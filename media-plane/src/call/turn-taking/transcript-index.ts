import type { Draft } from './state.js';

/** Returns the next index of the transcript. */
export function takeIndex({ state }: Draft): number {
  const index = state.nextIndex;
  state.nextIndex = index + 1;
  return index;
}
