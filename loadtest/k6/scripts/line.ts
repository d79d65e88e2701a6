/** What the caller gets to know of the agent. */
export interface AgentListener {
  /** A piece of the agent's audio has come; all before it had been played for `dryMs`. */
  onAudio(at: number, dryMs: number): void;
  /** The agent gives way: what was not played is dropped. */
  onClear(at: number): void;
  /** The connection has ended. */
  onClosed(): void;
}

/** The caller's end of a line, whatever protocol it speaks. Times are of `Date.now()`. */
export interface CallerLine {
  /** Until when the agent is heard by what has come so far. */
  readonly playedUntil: number;
  /** Sends 20 ms of mu-law, base64; also returns the marks that are due. */
  sendFrame(payload: string, now: number): void;
  hangUp(): void;
}
