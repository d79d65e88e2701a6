import type { AudioFormat } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { Log } from '@voice/shared/log/log';
import type { ProviderError } from '../provider-error.js';

/** What a speech-to-text provider reports. Positions (`_ms`) count the audio written to the session. */
export type SttEvent =
  | {
      readonly type: 'transcript';
      readonly text: string;
      /** A final text never changes; an interim replaces the interim before it. */
      readonly final: boolean;
      /** 0..1 */
      readonly confidence: number;
      readonly startMs: number;
      readonly endMs: number;
    }
  /**
   * The provider's own opinion that the caller's turn is over. `decided`: it has weighed that by a model of turns, and
   * it is so; else silence speaks for it, and ours is the last word.
   */
  | {
      readonly type: 'end_of_turn';
      readonly decided: boolean;
      readonly confidence: number;
      readonly text?: string;
    }
  | { readonly type: 'eager_end_of_turn'; readonly confidence: number; readonly text: string }
  | { readonly type: 'turn_resumed' }
  | { readonly type: 'speech_started'; readonly atMs: number }
  /** The session cannot go on. Nothing follows. */
  | { readonly type: 'failed'; readonly error: ProviderError };

/** What a session over the network says of its connection. `alive`: the provider has sent something, whatever it is. */
export type SttSign = 'connected' | 'disconnected' | 'alive';

export interface SttOptions {
  readonly choice: ProviderChoice;
  readonly credentials: ProviderCredentials;
  /** Of what is written. */
  readonly format: AudioFormat;
  /** BCP 47. */
  readonly language: string;
  readonly keyterms?: readonly string[];
  /** Silence after which the provider finalises, in ms. */
  readonly endpointingMs: number;
  /** Only for simulated people: the WebSocket with the call's captions. */
  readonly captionsUrl?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called synchronously as events arrive; must not throw. */
  readonly onEvent: (event: SttEvent) => void;
  /** Called synchronously with what the session's connection does, for a watchdog; must not throw. */
  readonly onSign?: (sign: SttSign) => void;
}

/** One call's recogniser. Writing is synchronous and per frame; a bounded queue drops the oldest while connecting. */
export interface SttSession {
  /** Takes 20 ms in the session's format. The bytes may be reused by the caller after the return. */
  write(frame: Uint8Array): void;
  /** Takes what the local voice-activity detector found; providers with a detector of their own ignore it. */
  voiceActivity(speaking: boolean, atMs: number): void;
  /** Asks for the final of what was heard so far: our own end of speech was earlier than the provider's. */
  finalize(): void;
  /** ms of audio that the provider was sent, for the usage. */
  readonly audioMs: number;
  /** The provider says nothing amid speech: it writes when it has found the end. */
  readonly writesAtEnd?: boolean;
  /** Closes the session. Idempotent; no event follows. */
  close(): void;
}

export interface SpeechToText {
  readonly name: string;
  /** What an empty model means; absent where there is but one. */
  readonly defaultModel?: string;
  open(options: SttOptions): SttSession;
}
