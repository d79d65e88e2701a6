import type { AudioFormat } from '@voice/shared/audio/format';

export interface VadSettings {
  /** Probability from which speech begins, and below which it ends. */
  readonly on: number;
  readonly off: number;
  readonly minSpeechMs: number;
  readonly minSilenceMs: number;
}

/** The settings of one call, and what its audio is made of. */
export interface VadOptions extends VadSettings {
  readonly format: AudioFormat;
}

/**
 * `atMs` counts the audio written to the detector and names when speech really started or stopped
 * (the hysteresis is already taken off); it is never later than the audio written so far.
 */
export type VadEvent =
  | { readonly type: 'speech_started'; readonly atMs: number }
  | { readonly type: 'speech_stopped'; readonly atMs: number };

/** One call's voice-activity detector. */
export interface VadSession {
  /**
   * Takes audio in the session's format, usually 20 ms; the bytes may be reused after the return. Events may come
   * later, from `onEvent`.
   */
  write(frame: Uint8Array): void;
  close(): void;
}

/** The process's detector: one model in memory, shared by all calls. */
export interface VoiceActivityDetector {
  open(options: VadOptions, onEvent: (event: VadEvent) => void): VadSession;
}
