import type { ProviderError } from '../../provider-error.js';
import type { ConnectionEnd } from '../../provider-socket.js';
import type { SttEvent } from '../port.js';

/** What a message of the vendor means, positions counted from the start of its connection. */
export type DialectOutput =
  | SttEvent
  /** Everything before this position is decided: it need not be fed again after a lost connection. */
  | { readonly type: 'settled'; readonly beforeMs: number; readonly fromFinalize: boolean }
  | { readonly type: 'provider_error'; readonly code: string; readonly message: string };

/** A vendor's streaming protocol on one connection: what to send, and how to read the answers. Does no I/O. */
export interface Dialect {
  /** Audio in a message, in ms: fewer messages cost less, and hardly anything is heard later for it. */
  readonly chunkMs: number;
  /**
   * The same while the caller has been silent for so long that nothing is awaited of it; absent where the vendor's own
   * model of turns listens to the silence.
   */
  readonly quietChunkMs?: number;
  /** Least audio in a message, in ms; less waits for more. */
  readonly leastMs?: number;
  /** What is sent before any audio. */
  readonly greeting?: readonly string[];
  /** Control message that keeps a connection without audio open; undefined where there is none. */
  readonly keepAlive: string | undefined;
  /** Sent before the connection is closed. */
  readonly closeStream: string | undefined;
  /** Makes the message of a piece of audio; absent where audio goes up as it is. */
  encode?(audio: Uint8Array): string | Uint8Array;
  /** Returns the control message that asks for the final of what was heard; undefined where there is none to ask for. */
  finalize(): string | undefined;
  decode(message: unknown): readonly DialectOutput[];
  /** Names the reason of a connection's end where the vendor has codes of its own. */
  errorOfEnd?(end: ConnectionEnd): ProviderError | undefined;
}
