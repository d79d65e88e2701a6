import type { NumberRegion } from './number-region.js';
import { isTwoPartyState } from './us-states.js';

/**
 * What a call's recording must be:
 * - `off`: not recorded, by the agent's setting or because nobody would announce it where that is needed
 * - `announced`: recorded, and said so before anything else
 * - `unannounced`: recorded where one party's consent is enough, and the agent does not announce it
 */
export const RECORDING_DIRECTIVES = ['off', 'announced', 'unannounced'] as const;
export type RecordingDirective = (typeof RECORDING_DIRECTIVES)[number];

/**
 * Returns whether everybody on the line must consent to a recording. The callee's law counts, and the law of the
 * caller's own state where its number shows it. A callee whose state is not known is taken for one who must consent; so
 * is everybody outside of the US, where most laws want the recording announced at least.
 */
export function requiresTwoPartyConsent(callee: NumberRegion, caller: NumberRegion | null): boolean {
  if (callee.isTest) return false;
  if (callee.state === null || isTwoPartyState(callee.state)) return true;
  return caller?.state != null && isTwoPartyState(caller.state);
}

/** Returns what the requirement makes of the agent's settings: a call is never refused for it, only not recorded. */
export function recordingDirective(
  settings: { readonly enabled: boolean; readonly announce: boolean },
  requiresConsent: boolean,
): RecordingDirective {
  if (!settings.enabled) return 'off';
  if (settings.announce) return 'announced';
  return requiresConsent ? 'off' : 'unannounced';
}
