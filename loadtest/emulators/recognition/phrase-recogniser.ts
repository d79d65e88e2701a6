import type { RecognisedFrame } from './recogniser.js';

/** Finds the words of known phrases in audio. */
export interface PhraseRecogniser {
  /** ms of audio taken so far. */
  readonly atMs: number;
  /** Takes audio of any length; gives the result of each whole frame. */
  push(audio: Uint8Array): Iterable<RecognisedFrame>;
}
