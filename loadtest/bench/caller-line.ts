import type { Utterance } from './speech.js';

/** What comes of the agent, as it arrives; times are monotonic ms. */
export interface AgentListener {
  /**
   * Some ms in which the agent speaks: a frame, or several at once. `dryMs`: for how long the carrier had had nothing
   * left to play when it came, 0 while it had.
   */
  readonly onAudio: (at: number, lastsMs: number, dryMs: number) => void;
  /** The agent was cut off: nothing of it is to be heard from then on. */
  readonly onClear: (at: number) => void;
  readonly onClosed: () => void;
}

/** The caller's end of one call's line. One frame of 20 ms goes out at each tick. */
export interface CallerLine {
  /** Monotonic ms of the end of what is to be played. */
  readonly playedUntil: number;
  /** Checks whether the agent's audio is being played now. */
  isPlaying(now: number): boolean;
  sendSpeech(utterance: Utterance, frame: number, now: number): void;
  sendSilence(now: number): void;
  close(): void;
}
