import type { AudioFormat } from '@voice/shared/audio/format';
import type { ProviderError } from '../../provider-error.js';
import type { ConnectionEnd } from '../../provider-socket.js';
import type { SpeechAlignment } from '../port.js';

/** What a message of the vendor means for the turn that the connection speaks. */
export type SpeechOutput =
  | { readonly type: 'audio'; readonly audio: Uint8Array }
  /** Positions count from the first audio of the turn. */
  | { readonly type: 'alignment'; readonly alignment: SpeechAlignment }
  /** All audio of the turn has come. */
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly error: ProviderError }
  /** Something has to be said again. */
  | { readonly type: 'send'; readonly messages: readonly string[] }
  /** The vendor complains, and goes on. */
  | { readonly type: 'warning'; readonly message: string };

/** What a turn is made of. */
export type TurnOutput = Extract<SpeechOutput, { type: 'audio' | 'alignment' | 'done' }>;

/**
 * A vendor's protocol on one connection that speaks one turn after another: what to send, and how to read what comes.
 * Does no I/O. Keeps what the connection is about, so that nothing of a cancelled turn counts for the next.
 */
export interface SpeechProtocol {
  /** Whether a further turn needs another connection. */
  readonly isWorn: boolean;
  /** Whether all audio of the turn has come, and its text has ended. */
  readonly isDone: boolean;
  /** Begins a turn; the one before is over or cancelled. */
  begin(): void;
  say(text: string): readonly string[];
  endOfText(): readonly string[];
  /** Stops the vendor's work for the turn. */
  cancel(): readonly string[];
  readText(text: string): readonly SpeechOutput[];
  readBinary(bytes: Uint8Array): readonly SpeechOutput[];
  /** What is sent before the connection is closed. */
  farewell(): readonly string[];
}

/** How a vendor's voice is reached. */
export interface SpeechTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the audio that the vendor sends. */
  readonly sends: AudioFormat;
  /** How long a connection may take up turns, in ms: vendors close old ones, in mid-turn too. */
  readonly longestMs: number;
  createProtocol(): SpeechProtocol;
  /** Names the reason for a connection that ended although it was needed. */
  errorOfEnd(end: ConnectionEnd): ProviderError;
}
