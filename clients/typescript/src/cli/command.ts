import type { Voice } from '../client.js';
import type { Shape } from './choose.js';
import type { Flags } from './flags.js';
import type { Described } from './help.js';

/** What a command may use. */
export interface Session {
  readonly voice: Voice;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
  readonly flags: Flags;
}

export interface Command extends Described, Shape {
  readonly keyless?: undefined;
  readonly run: (session: Session, values: readonly string[]) => Promise<void>;
}
