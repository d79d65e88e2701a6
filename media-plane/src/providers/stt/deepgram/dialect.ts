import type { SttEvent, SttOptions } from '../port.js';

/** What a message from Deepgram means, positions counted from the start of its connection. */
export type DialectOutput =
  | SttEvent
  /** Everything before this position is decided: it need not be fed again after a lost connection. */
  | { readonly type: 'settled'; readonly beforeMs: number; readonly fromFinalize: boolean }
  | { readonly type: 'provider_error'; readonly code: string; readonly message: string };

/** One of Deepgram's streaming protocols: how to ask, and how to read the answers. Pure. */
export interface Dialect {
  readonly path: string;
  /** Audio in a message, in ms: fewer messages cost less, and hardly anything is heard later for it. */
  readonly chunkMs: number;
  query(options: SttOptions): URLSearchParams;
  /** Control message that keeps a connection without audio open; undefined where there is none. */
  readonly keepAlive: string | undefined;
  /** Control message that asks for the final of what was heard; undefined where the model decides alone. */
  readonly finalize: string | undefined;
  readonly closeStream: string;
  decode(message: unknown): readonly DialectOutput[];
}
