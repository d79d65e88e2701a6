import type { Heard } from './recogniser.js';

/** What finds words in audio. */
export interface Hearing {
  /** ms of audio taken so far. */
  readonly atMs: number;
  /** Takes audio of any length; tells what each whole frame brought. */
  push(audio: Uint8Array): Iterable<Heard>;
}
