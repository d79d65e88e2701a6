import type { AudioId } from './audio-id.js';

/**
 * One call's paced output: audio of one format in, 20 ms frames of it out at the speed of speech with a small bounded
 * lead. A turn's audio is accepted from `begin` until `finish` or `clear`; frames of any other turn are refused. Keys
 * that the agent presses are played like a turn, under an id of their own.
 */
export interface PacedOutput {
  /** Starts a turn; a turn already audible must have been finished or cleared. */
  begin(id: AudioId): void;
  /**
   * Queues audio of the turn (any length; kept in order, bounded). False when the turn is not the current one:
   * the caller's generation is stale. Resolves through `ready` when the queue is full.
   */
  write(id: AudioId, audio: Uint8Array): boolean;
  /** Resolves when the queue has room for more; at once when it has. */
  ready(id: AudioId, signal: AbortSignal): Promise<void>;
  /** Ends the audio: the rest is padded with silence to a whole frame, played, and `onFinished` called. */
  finish(id: AudioId): void;
  /**
   * Holds the audio where it is: nothing more is written, the carrier's buffered lead is discarded and kept for
   * `resume`.
   */
  pause(id: AudioId): void;
  /** Goes on from a position of the turn's audio, in ms. */
  resume(id: AudioId, fromMs: number): void;
  /** Discards the turn's audio here and at the carrier; returns how much of it was heard, in ms. */
  clear(id: AudioId): number;
  /** Returns how much of the turn's audio has been heard by now, in ms. */
  playedMs(id: AudioId): number;
  close(): void;
}

export interface PacedOutputEvents {
  /** Called when the first frame of the turn was written to the carrier (monotonic ms). */
  onFirstFrame(id: AudioId, at: number): void;
  /** Called when the last frame of the turn has been played at the carrier, as far as time and marks show. */
  onFinished(id: AudioId, playedMs: number): void;
  /**
   * Receives a frame and when it is heard, monotonic ms: for the recording. Never called for frames that were cleared
   * before they were heard.
   */
  onPlayed(frame: Uint8Array, at: number): void;
}
