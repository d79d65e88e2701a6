import type { VadEvent, VadSettings } from './port.js';

/**
 * Where the detector is; `since` is the position, in ms, at which the change that is being watched began,
 * `quietFrom` the first window in which the model saw it end.
 */
export type VoiceState =
  | { readonly name: 'quiet' }
  | { readonly name: 'starting'; readonly since: number }
  | { readonly name: 'speaking' }
  | { readonly name: 'stopping'; readonly since: number; readonly quietFrom: number };

/**
 * The model must have seen silence for this long, however long the voice has been gone by its level (three
 * windows): soft speech is not cut by its level alone.
 */
const SURE_MS = 96;

export const QUIET: VoiceState = { name: 'quiet' };
const SPEAKING: VoiceState = { name: 'speaking' };

export interface VoiceStep {
  readonly state: VoiceState;
  readonly event?: VadEvent;
}

/** When the voice ended, in ms, if the window from `believedMs` to `untilMs` is silence. Not later than that. */
export type EndOfVoice = (believedMs: number, untilMs: number) => number;

/**
 * Turns probabilities into speech: returns the next state after a window from `startMs` to `endMs` with this
 * probability of speech. Between `off` and `on` a window decides nothing, neither way.
 */
export function step(
  state: VoiceState,
  probability: number,
  startMs: number,
  endMs: number,
  settings: VadSettings,
  endOfVoice: EndOfVoice = (believedMs) => believedMs,
): VoiceStep {
  switch (state.name) {
    case 'quiet':
      if (probability < settings.on) return { state };
      return started({ name: 'starting', since: startMs }, endMs, settings);
    case 'starting':
      if (probability < settings.off) return { state: QUIET };
      if (probability < settings.on) return { state };
      return started(state, endMs, settings);
    case 'speaking':
      if (probability >= settings.off) return { state };
      return stopped(
        { name: 'stopping', since: endOfVoice(startMs, endMs), quietFrom: startMs },
        endMs,
        settings,
      );
    case 'stopping':
      if (probability >= settings.on) return { state: SPEAKING };
      if (probability >= settings.off) return { state };
      return stopped(state, endMs, settings);
  }
}

function started(state: VoiceState & { name: 'starting' }, endMs: number, settings: VadSettings): VoiceStep {
  if (endMs - state.since < settings.minSpeechMs) return { state };
  return { state: SPEAKING, event: { type: 'speech_started', atMs: state.since } };
}

function stopped(state: VoiceState & { name: 'stopping' }, endMs: number, settings: VadSettings): VoiceStep {
  const sure = endMs - state.quietFrom >= Math.min(SURE_MS, settings.minSilenceMs);
  if (!sure || endMs - state.since < settings.minSilenceMs) return { state };
  return { state: QUIET, event: { type: 'speech_stopped', atMs: state.since } };
}
