import type { Voice } from '../client.js';
import type { Flags } from './flags.js';

/** What a command may use. */
export interface Session {
  readonly voice: Voice;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly flags: Flags;
}

export interface Command {
  readonly name: string;
  readonly arguments: string;
  readonly summary: string;
  readonly run: (session: Session, values: readonly string[]) => Promise<void>;
}
