import type { AudioFormat } from '@voice/shared/audio/format';

/** Judges the speech of one call. Positions count the audio written, in ms. */
export interface EndOfTurnSession {
  /** Takes 20 ms in the session's format; the bytes may be reused after the return. */
  write(frame: Uint8Array): void;
  /** Takes notice that the caller speaks: a question that is not answered yet is withdrawn. */
  speechStarted(atMs: number): void;
  /**
   * Asks whether the caller has finished, now that they have stopped. Answers at most once, later or never, with the
   * probability (0..1); a newer question replaces it.
   */
  judge(onJudged: (probability: number) => void): void;
  /** Closes it; nothing is answered any more. Idempotent. */
  close(): void;
}

/** Judges by the sound of their speech whether callers have finished: one for the process, shared by all calls. */
export interface EndOfTurnDetector {
  open(format: AudioFormat): EndOfTurnSession;
  close(): Promise<void>;
}
