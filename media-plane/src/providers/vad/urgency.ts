import { SURE_MS, type VoiceState } from './hysteresis.js';
import type { VadSettings } from './port.js';

/**
 * How soon a window is to be looked at: `now` where it may decide that the caller begins or ceases to speak, `later` in
 * the midst of speech, where nothing follows from it alone.
 */
export type Urgency = 'now' | 'soon' | 'later';

/** A window that waits, behind others of its call. Positions in ms. */
export interface WaitingWindow {
  readonly endMs: number;
  /** Where the first window begins that was not looked at. */
  readonly unjudgedMs: number;
  /** Returns whether speech has begun if the model finds it in the window. */
  readonly begins: () => boolean;
}

export function urgencyOf(state: VoiceState, window: WaitingWindow, settings: VadSettings): Urgency {
  switch (state.name) {
    case 'starting':
      return 'now';
    case 'quiet':
      return window.begins() ? 'now' : 'soon';
    case 'speaking':
    case 'stopping':
      return mayEnd(state, window, settings) ? 'now' : 'later';
  }
}

/** Returns whether speech may be over with the window, if all that was not looked at is silence. */
export function mayEnd(
  state: VoiceState,
  { endMs, unjudgedMs }: Omit<WaitingWindow, 'begins'>,
  settings: VadSettings,
): boolean {
  const sureMs = Math.min(SURE_MS, settings.minSilenceMs);
  switch (state.name) {
    case 'quiet':
    case 'starting':
      return false;
    case 'speaking':
      return endMs - unjudgedMs >= sureMs;
    case 'stopping': {
      const goesOn = endMs - state.quietFrom >= sureMs && endMs - state.since >= settings.minSilenceMs;
      return goesOn || endMs - unjudgedMs >= sureMs;
    }
  }
}
