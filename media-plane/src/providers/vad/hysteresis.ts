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
export const SURE_MS = 96;

export const QUIET: VoiceState = { name: 'quiet' };
const SPEAKING: VoiceState = { name: 'speaking' };

export interface VoiceStep {
  readonly state: VoiceState;
  readonly event?: VadEvent;
}

/** What the level of the audio says of where a voice begins and ends; positions in ms. */
export interface VoiceEdges {
  /** Returns where the voice began that was first believed in at `believedMs`. Not later than that. */
  startOf(believedMs: number): number;
  /** Returns where the voice ended, if the window from `believedMs` to `untilMs` is silence. Not later than that. */
  endOf(believedMs: number, untilMs: number): number;
  /** Returns whether a sound from `startMs` to `endMs` is long enough to be speech at the first word of the model. */
  isSurelySpeech(startMs: number, endMs: number): boolean;
}

const BY_MODEL_ALONE: VoiceEdges = {
  startOf: (believedMs) => believedMs,
  endOf: (believedMs) => believedMs,
  isSurelySpeech: () => false,
};

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
  edges: VoiceEdges = BY_MODEL_ALONE,
): VoiceStep {
  switch (state.name) {
    case 'quiet':
      if (probability < settings.on) return { state };
      return started({ name: 'starting', since: startMs }, endMs, settings, edges);
    case 'starting':
      if (probability < settings.off) return { state: QUIET };
      if (probability < settings.on) return { state };
      return started(state, endMs, settings, edges);
    case 'speaking':
      if (probability >= settings.off) return { state };
      return stopped(
        { name: 'stopping', since: edges.endOf(startMs, endMs), quietFrom: startMs },
        endMs,
        settings,
      );
    case 'stopping':
      if (probability >= settings.on) return { state: SPEAKING };
      if (probability >= settings.off) return { state };
      return stopped(state, endMs, settings);
  }
}

function started(
  state: VoiceState & { name: 'starting' },
  endMs: number,
  settings: VadSettings,
  edges: VoiceEdges,
): VoiceStep {
  const atMs = edges.startOf(state.since);
  const isBrief = endMs - state.since < settings.minSpeechMs;
  if (isBrief && !edges.isSurelySpeech(atMs, endMs)) return { state };
  return { state: SPEAKING, event: { type: 'speech_started', atMs } };
}

function stopped(state: VoiceState & { name: 'stopping' }, endMs: number, settings: VadSettings): VoiceStep {
  const sure = endMs - state.quietFrom >= Math.min(SURE_MS, settings.minSilenceMs);
  if (!sure || endMs - state.since < settings.minSilenceMs) return { state };
  return { state: QUIET, event: { type: 'speech_stopped', atMs: state.since } };
}
