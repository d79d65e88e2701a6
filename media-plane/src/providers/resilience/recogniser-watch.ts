import type { SttSign } from '../stt/port.js';

/** How long a recogniser may keep a speaking caller waiting, in ms. */
export interface WatchLimits {
  /** Without a connection, at the beginning or when it was lost. */
  readonly connectMs: number;
  /** Of speech to which it has not said anything, not even that it heard nothing. */
  readonly muteSpeechMs: number;
  /** Of speech in which it has not found a word, though it answers. */
  readonly wordlessSpeechMs: number;
}

/**
 * Real speech has an interim within a second. Who answers with empty results all the while is given more time than who
 * says nothing: a noise that the detector takes for speech looks the same. What was said is kept for 10 s, so that the
 * next one gets all of it.
 */
export const RECOGNISER_LIMITS: WatchLimits = { connectMs: 1500, muteSpeechMs: 2000, wordlessSpeechMs: 8000 };

/**
 * Of one that says nothing amid speech. Its connection is probed when the caller begins to speak, so that only a model
 * can be mute; people seldom speak for longer without a pause.
 */
export const AT_END_LIMITS: WatchLimits = {
  ...RECOGNISER_LIMITS,
  muteSpeechMs: 15_000,
  wordlessSpeechMs: 15_000,
};

/** Silence after which speech without words is counted anew, in ms: coughs of minutes do not add up. */
const WORDLESS_GAP_MS = 10_000;

/**
 * What is known of one recogniser's session. Immutable; times in ms: of the connection monotonic, of speech those in
 * which audio came (`ListeningTime`).
 */
export interface RecogniserWatch {
  /** Since when it has no connection; null while it has one. */
  readonly unconnectedSince: number | null;
  /** Since when the caller speaks, as far as it is not counted yet; null while they are silent. */
  readonly speakingSince: number | null;
  /** Speech since its last sign of life. */
  readonly unansweredMs: number;
  /** Speech since its last word, as far as it is counted. */
  readonly wordlessMs: number;
  /** Since when the caller speaks and it has found no word, as far as it is not counted yet. */
  readonly wordlessSince: number | null;
  /** When the caller fell silent last; null before. */
  readonly silentSince: number | null;
}

/** A moment by both clocks. */
export interface WatchTime {
  /** Monotonic. */
  readonly at: number;
  /** Of the audio that came. */
  readonly heardMs: number;
}

export type WatchEvent = WatchTime &
  (
    | { readonly type: 'sign'; readonly sign: SttSign }
    /** It has found words. */
    | { readonly type: 'words' }
    /** What the detector found. */
    | { readonly type: 'speech'; readonly speaking: boolean }
  );

/** Begins to watch a session that was opened now. */
export function openedWatch({ at, heardMs }: WatchTime, isCallerSpeaking: boolean): RecogniserWatch {
  const speakingSince = isCallerSpeaking ? heardMs : null;
  return {
    unconnectedSince: at,
    speakingSince,
    unansweredMs: 0,
    wordlessMs: 0,
    wordlessSince: speakingSince,
    silentSince: null,
  };
}

export function watch(before: RecogniserWatch, event: WatchEvent): RecogniserWatch {
  const { at, heardMs } = event;
  if (event.type === 'words') {
    return { ...before, wordlessMs: 0, wordlessSince: before.wordlessSince === null ? null : heardMs };
  }
  if (event.type === 'speech') return withSpeech(before, event.speaking, heardMs);
  const speakingSince = before.speakingSince === null ? null : heardMs;
  const heard = { ...before, speakingSince, unansweredMs: 0 };
  switch (event.sign) {
    case 'connected':
    case 'alive':
      return { ...heard, unconnectedSince: null };
    case 'disconnected':
      return { ...heard, unconnectedSince: before.unconnectedSince ?? at };
  }
}

function withSpeech(before: RecogniserWatch, speaking: boolean, at: number): RecogniserWatch {
  const { silentSince } = before;
  const isNew = speaking && silentSince !== null && at - silentSince >= WORDLESS_GAP_MS;
  return {
    ...before,
    unansweredMs: unansweredSpeech(before, at),
    speakingSince: speaking ? at : null,
    wordlessMs: isNew ? 0 : wordlessSpeech(before, at),
    wordlessSince: speaking ? at : null,
    silentSince: speaking ? null : at,
  };
}

/** Judges a recogniser: whether the caller has been kept waiting for too long, and by what. Pure. */
export function verdict(
  state: RecogniserWatch,
  limits: WatchLimits,
  { at, heardMs }: WatchTime,
): 'unconnected' | 'mute' | 'wordless' | undefined {
  const { unconnectedSince } = state;
  if (unconnectedSince !== null) return at - unconnectedSince >= limits.connectMs ? 'unconnected' : undefined;
  if (unansweredSpeech(state, heardMs) >= limits.muteSpeechMs) return 'mute';
  return wordlessSpeech(state, heardMs) >= limits.wordlessSpeechMs ? 'wordless' : undefined;
}

function unansweredSpeech({ speakingSince, unansweredMs }: RecogniserWatch, now: number): number {
  return unansweredMs + (speakingSince === null ? 0 : now - speakingSince);
}

function wordlessSpeech({ wordlessSince, wordlessMs }: RecogniserWatch, now: number): number {
  return wordlessMs + (wordlessSince === null ? 0 : now - wordlessSince);
}
