import type { AudioFormat } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { LlmTool, LlmToolCall } from '@voice/shared/language-model/conversation';
import type { Log } from '@voice/shared/log/log';
import type { ProviderError } from '../provider-error.js';

/** Tokens by modality, as the provider bills them. Cached ones are part of the input's. */
export interface RealtimeUsage {
  readonly inputAudioTokens: number;
  readonly inputTextTokens: number;
  readonly cachedAudioTokens: number;
  readonly cachedTextTokens: number;
  readonly outputAudioTokens: number;
  readonly outputTextTokens: number;
}

export const NO_REALTIME_USAGE: RealtimeUsage = {
  inputAudioTokens: 0,
  inputTextTokens: 0,
  cachedAudioTokens: 0,
  cachedTextTokens: 0,
  outputAudioTokens: 0,
  outputTextTokens: 0,
};

/** One thing that was said before the session began: given to a new session so that it knows the call. */
export type RealtimeHistoryItem =
  | { readonly role: 'user' | 'assistant' | 'system'; readonly text: string }
  | { readonly role: 'tool_call'; readonly call: LlmToolCall }
  | { readonly role: 'tool_result'; readonly callId: string; readonly text: string };

/**
 * What a speech-to-speech session reports. `response` is the number that `respond` gave; a response that the
 * provider began by itself (its own turn detection) gets the next number.
 */
export type RealtimeEvent =
  /** The session is configured and hears. */
  | { readonly type: 'ready' }
  /** The provider's own turn detection: the caller began, or ended a turn. Only with `turnDetection: 'provider'`. */
  | { readonly type: 'speech_started' }
  | { readonly type: 'end_of_turn' }
  /**
   * What the caller said, as it becomes known; often only after the answer has begun. `item` names the caller's turn;
   * a later text of the same item replaces the earlier one. Each turn gets a final, an empty one when it could not be
   * transcribed.
   */
  | {
      readonly type: 'caller_transcript';
      readonly item: string;
      readonly text: string;
      readonly final: boolean;
    }
  | { readonly type: 'response_started'; readonly response: number; readonly unasked: boolean }
  /** In the session's output format, any length. */
  | { readonly type: 'audio'; readonly response: number; readonly audio: Uint8Array }
  /** The text of what the audio says. */
  | { readonly type: 'text'; readonly response: number; readonly delta: string }
  /** Part of a tool call came, as a sign of life: the call follows when it is whole. */
  | { readonly type: 'tool_call_part'; readonly response: number }
  | { readonly type: 'tool_call'; readonly response: number; readonly call: LlmToolCall }
  | {
      readonly type: 'response_finished';
      readonly response: number;
      readonly outcome: 'completed' | 'cancelled' | 'failed';
      readonly error?: ProviderError;
    }
  /** Of a response (also where `of` is absent), or of the caller's transcription, which another model bills. */
  | {
      readonly type: 'usage';
      readonly usage: RealtimeUsage;
      readonly of?: 'response' | 'transcription';
    }
  /** The provider will end the session in about this long: time to open the next one. */
  | { readonly type: 'expiring'; readonly inMs: number }
  /** The session cannot go on. Nothing follows. */
  | { readonly type: 'failed'; readonly error: ProviderError };

export interface RealtimeOptions {
  readonly choice: ProviderChoice;
  readonly credentials: ProviderCredentials;
  readonly instructions: string;
  /** BCP 47 */
  readonly language: string;
  readonly tools: readonly LlmTool[];
  /** What the line speaks: the session takes and makes it where the provider can, else the adapter converts. */
  readonly format: AudioFormat;
  /**
   * Who decides that the caller's turn is over. `provider`: its detection, which must not start or interrupt
   * responses by itself where that can be switched off. `ours`: `commit` says so.
   */
  readonly turnDetection: 'provider' | 'ours';
  /** What was said before, for a session that takes over from another. */
  readonly history: readonly RealtimeHistoryItem[];
  readonly clock: Clock;
  readonly log: Log;
  /** Called synchronously as events arrive; must not throw. */
  readonly onEvent: (event: RealtimeEvent) => void;
}

export interface RespondRequest {
  /** Say exactly this and nothing else, and use no tool. */
  readonly verbatim?: string;
}

/** One call's speech-to-speech session. What is written while it connects is kept (bounded, the oldest dropped). */
export interface RealtimeSession {
  /** Takes 20 ms in `format`; the bytes may be reused after the return. */
  write(frame: Uint8Array): void;
  /**
   * Takes what the local voice-activity detector found; a provider that wants activity marks (Gemini Live) gets them by
   * it.
   */
  voiceActivity(speaking: boolean): void;
  /** Ends the caller's turn: what was heard since the last commit is one turn. Only with `turnDetection: 'ours'`. */
  commit(): void;
  /** Discards what was heard since the last commit: it was no turn (noise). */
  discard(): void;
  /** Asks for a response; its number. One at a time: while one is under way, it is cancelled first. */
  respond(request?: RespondRequest): number;
  /** Stops a response; what still comes of it is dropped here. Unknown numbers are ignored. */
  cancel(response: number): void;
  /** Cuts the model's memory of the response: the caller heard only this much of its audio, in ms. */
  truncate(response: number, heardMs: number): void;
  /** Adds an operator's note, or a fact of the call: read before the next response. */
  addNote(text: string): void;
  /** Adds a fact of the conversation that the model did not hear or say itself. */
  addItem(item: RealtimeHistoryItem): void;
  /** Replaces the tools (an MCP server's arrived). */
  setTools(tools: readonly LlmTool[]): void;
  /** ms of the caller's audio that was sent. */
  readonly audioMs: number;
  /** Closes the session. Idempotent; no event follows. */
  close(): void;
}

export interface RealtimeProvider {
  readonly name: string;
  /** What an empty model means. */
  readonly defaultModel: string;
  /** Returns the model that transcribes the caller, where it is billed by itself (by the minute of their audio). */
  transcriptionModel?(choice: ProviderChoice): string | undefined;
  /** Opens a session and starts to connect. */
  open(options: RealtimeOptions): RealtimeSession;
}
