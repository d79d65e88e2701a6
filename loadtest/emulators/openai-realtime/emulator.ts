import type { RunningEmulator } from '../serving/http-server.js';
import type { Entry } from './conversation.js';
import type { OpenAiRealtimeCounters, OpenAiRealtimeFaults } from './options.js';

/** The emulator while it runs: its address, its counters, and what makes things go wrong. */
export interface OpenAiRealtimeEmulator extends RunningEmulator {
  /** What `base_url` must be. */
  readonly baseUrl: string;
  readonly counters: Readonly<OpenAiRealtimeCounters>;
  /** Assign to its fields to make things go wrong. */
  readonly faults: OpenAiRealtimeFaults;
  /** Returns what the model of the newest session remembers. */
  memory(): readonly Entry[];
  /** Answers the handshakes that are held, and holds no more. */
  release(): void;
  /** Tears all open connections. */
  dropConnections(): void;
  /** Lets all open connections die unseen: they stay open, and nothing is read or answered any more. */
  freezeConnections(): void;
  /** Ends all sessions as if their time were up. */
  expireSessions(): void;
  /** Sends a text message, whatever it is, over all open connections. */
  broadcast(text: string): void;
}
