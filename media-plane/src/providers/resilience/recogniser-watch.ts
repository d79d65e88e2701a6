import type { SttSign } from '../stt/port.js';

/** How long a recogniser may keep a speaking caller waiting, in ms. */
export interface WatchLimits {
  /** Without a connection, at the beginning or when it was lost. */
  readonly connectMs: number;
  /** Of speech to which it has not said anything, not even that it heard nothing. */
  readonly muteSpeechMs: number;
}

export const RECOGNISER_LIMITS: WatchLimits = { connectMs: 1500, muteSpeechMs: 2000 };

/** What is known of one recogniser's session. Immutable; times are monotonic, in ms. */
export interface RecogniserWatch {
  /** Since when it has no connection; null while it has one. */
  readonly unconnectedSince: number | null;
  /** Since when the caller speaks, as far as it is not counted yet; null while they are silent. */
  readonly speakingSince: number | null;
  /** Speech since its last sign of life. */
  readonly unansweredMs: number;
}

export type WatchEvent =
  | { readonly type: 'sign'; readonly sign: SttSign; readonly at: number }
  /** What the detector found. */
  | { readonly type: 'speech'; readonly speaking: boolean; readonly at: number };

/** Begins to watch a session that was opened now. */
export function openedWatch(at: number, isCallerSpeaking: boolean): RecogniserWatch {
  return { unconnectedSince: at, speakingSince: isCallerSpeaking ? at : null, unansweredMs: 0 };
}

export function watch(before: RecogniserWatch, event: WatchEvent): RecogniserWatch {
  const { at } = event;
  if (event.type === 'speech') {
    const unansweredMs = unansweredSpeech(before, at);
    return { ...before, unansweredMs, speakingSince: event.speaking ? at : null };
  }
  const speakingSince = before.speakingSince === null ? null : at;
  const heard = { ...before, speakingSince, unansweredMs: 0 };
  switch (event.sign) {
    case 'connected':
    case 'alive':
      return { ...heard, unconnectedSince: null };
    case 'disconnected':
      return { ...heard, unconnectedSince: before.unconnectedSince ?? at };
  }
}

/** Judges a recogniser: whether the caller has been kept waiting for too long, and by what. Pure. */
export function verdict(
  state: RecogniserWatch,
  limits: WatchLimits,
  now: number,
): 'unconnected' | 'mute' | undefined {
  const { unconnectedSince } = state;
  if (unconnectedSince !== null)
    return now - unconnectedSince >= limits.connectMs ? 'unconnected' : undefined;
  return unansweredSpeech(state, now) >= limits.muteSpeechMs ? 'mute' : undefined;
}

function unansweredSpeech({ speakingSince, unansweredMs }: RecogniserWatch, now: number): number {
  return unansweredMs + (speakingSince === null ? 0 : now - speakingSince);
}
