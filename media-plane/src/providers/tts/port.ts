import type { AudioFormat } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { Log } from '@voice/shared/log/log';

/** When each character of the text is spoken, in ms from the start of the turn's audio. */
export interface SpeechAlignment {
  readonly chars: readonly string[];
  readonly startMs: readonly number[];
  readonly durationMs: readonly number[];
}

export interface SpeechChunk {
  /**
   * In the voice's format, any length: also empty, when only alignment arrived, or as a sign that the voice is still
   * being started.
   */
  readonly audio: Uint8Array;
  readonly alignment?: SpeechAlignment;
}

export interface VoiceOptions {
  readonly choice: ProviderChoice;
  readonly credentials: ProviderCredentials;
  /** Of the audio that comes out. */
  readonly format: AudioFormat;
  /** BCP 47. */
  readonly language: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** One call's voice. It may keep a connection warm between turns. */
export interface Voice {
  /**
   * Speaks a turn: sentences go in as the model finishes them, audio comes out as it is made.
   * The alignment of all chunks counts from the first audio of this turn. Throws `ProviderError`;
   * on abort it ends promptly and stops the provider's work. Audio of an aborted turn never leaks into the next.
   */
  speak(sentences: AsyncIterable<string>, signal: AbortSignal): AsyncIterable<SpeechChunk>;
  /** Another voice speaks from now on, because the one that was chosen has failed. */
  readonly isReplaced?: boolean;
  /** Characters sent to the provider, for the usage. */
  readonly characters: number;
  /** Closes the voice. Idempotent. */
  close(): void;
}

export interface TextToSpeech {
  readonly name: string;
  /** What an empty model means; absent where there is but one. */
  readonly defaultModel?: string;
  /** Opens a call's voice and starts to connect, so that the first turn need not wait. */
  open(options: VoiceOptions): Voice;
}
