import type { Clock } from '@voice/shared/clock/clock';
import type { Access } from '../access/access.js';
import type { EncodableDocument } from '../bson/encode.js';
import type { Checkpoint } from '../planning/scan.js';
import type { Store } from '../storage/store.js';
import type { Arguments } from './arguments.js';
import type { Cursors } from './cursors.js';

/** What a command works with. */
export interface CommandContext {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly connectionId: number;
  readonly address: string;
  /** Whether the connection has signed in; undefined where the store has no password. */
  readonly access?: Access | undefined;
}

export interface CommandRequest {
  readonly name: string;
  readonly database: string;
  readonly args: Arguments;
  /** Documents beside the body, by argument name, as BSON bytes. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  /** Throws MaxTimeMSExpired (50) when the command's maxTimeMS has passed. */
  readonly checkpoint: Checkpoint;
}

/** Runs a command and returns its reply without `ok`. Failures are thrown as CommandError. */
export type Command = (request: CommandRequest, context: CommandContext) => Reply;
export type Reply = Exclude<EncodableDocument, Map<string, unknown>>;
