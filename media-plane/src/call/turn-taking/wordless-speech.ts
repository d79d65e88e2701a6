import type { State } from './state.js';

/** Speech to speech: what the caller is saying is in no utterance before it ends, and may be a noise. */

/** Unbroken speech without words that is longer is a noise that will not end, in ms. */
export const LONGEST_SPEECH_MS = 60_000;

/** Returns whether the caller is speaking to a model that hears them itself. */
export function speaksWithoutWords({ hearsWords, caller }: State): boolean {
  return !hearsWords && caller.phase === 'speaking' && !caller.noise;
}
