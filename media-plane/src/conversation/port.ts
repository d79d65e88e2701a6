import type { AudioFormat } from '@voice/shared/audio/format';
import type { PipelineType } from '@voice/shared/contracts/agent';
import type { CallUsage } from '@voice/shared/contracts/call-events';
import type { LlmTool, LlmToolCall } from '@voice/shared/language-model/conversation';
import type { HistoryEntry } from '../call/turn-taking/effects.js';
import type { CallerEvent } from '../call/turn-taking/events.js';
import type { ProviderError } from '../providers/provider-error.js';
import type { SpeechChunk } from '../providers/tts/port.js';
import type { Segment } from './spoken-text/spoken-form.js';

/** What the caller does, before the call stamps it. */
export type Heard = CallerEvent extends infer E ? (E extends CallerEvent ? Omit<E, 'at'> : never) : never;

/** What a conversation reports to its call. Called synchronously; none after `close`. */
export interface ConversationListener {
  onHeard(event: Heard): void;
  /** Receives what the caller has said so far, from a model that transcribes afterwards: for live followers. */
  onInterim?(text: string): void;
  /** Called when the conversation cannot go on, with no fallback left. Nothing follows. */
  onFailed(error: ProviderError): void;
  /**
   * Called when another conversation has taken over: whether it knows the caller's words before their turn ends, and
   * whether it is about to hear again what was not answered.
   */
  onReplaced?(hearsWords: boolean, hearsAgain: boolean): void;
  /** ms since the media stream began. */
  readonly sinceStart: () => number;
  /** Only for simulated people: the WebSocket with the call's captions. */
  readonly captionsUrl: string | undefined;
  /** What was said so far, as it was heard. */
  readonly history: () => readonly HistoryEntry[];
}

/** What happens while a turn is made. None is called after the signal's abort. */
export interface TurnListener {
  /** Called at the model's first text, audio or tool call. */
  onFirstToken(): void;
  /**
   * Receives what is given to the voice, as it was written.
   * @param segments how it is said, where that differs
   */
  onSentence(written: string, segments?: readonly Segment[]): void;
  onToolCall(call: LlmToolCall): void;
  /** Called when the model is done; audio may still come. */
  onGenerated(): void;
  /** Receives audio in order, in the line's format; a promise holds the voice back. */
  onAudio(chunk: SpeechChunk): Promise<void> | void;
}

/** 20 ms of the caller, kept. `spokenAtMs`: when its beginning was spoken, ms since the media stream began. */
export interface SpokenFrame {
  readonly frame: Uint8Array;
  readonly spokenAtMs: number;
}

export interface AnswerRequest {
  /** The agent's turn that the answer is, by the reducer's number. */
  readonly turn: number;
  readonly history: readonly HistoryEntry[];
  /** The caller's words of a speculative turn, which the history does not hold yet. */
  readonly basis: string | undefined;
  readonly tools: readonly LlmTool[];
  /** Of a speculative turn: what of it the voice may be given before the turn is sure. */
  readonly heldVoice?: HeldVoice | undefined;
}

/** Holds the voice of a turn back until it is sure that the turn will be heard. */
export interface HeldVoice {
  /** So many pieces of the text may be spoken before. */
  readonly piecesAhead: number;
  /** Resolves when the turn is sure, and when it is dropped. */
  readonly released: Promise<void>;
}

/**
 * What listens, thinks and speaks in one call. Cascaded and speech to speech are two implementations behind the
 * same call, tools, recording, limits and events. A turn is aborted by its signal.
 */
export interface Conversation {
  readonly kind: PipelineType;
  /** Whether the caller's words are known before their turn ends: speech-to-speech models transcribe later. */
  readonly hearsWords: boolean;
  /**
   * Opens connections and synthesizes the first words while the phone still rings, for a line that will probably have
   * this format. Idempotent; not needed before `listen`.
   */
  prepare(format: AudioFormat): void;
  /** Begins with the line that is there. Called once, before anything below. */
  listen(listener: ConversationListener, format: AudioFormat): void;
  /**
   * Takes 20 ms of the caller in the line's format; the bytes may be reused after the return.
   * @param spokenAtMs when its beginning was spoken, ms since the media stream began
   */
  hear(frame: Uint8Array, spokenAtMs: number): void;
  /** Answers. Resolves when all audio was passed on; throws what a provider threw; silent after an abort. */
  generate(request: AnswerRequest, listener: TurnListener, signal: AbortSignal): Promise<void>;
  /** Says a text as it is. Otherwise like `generate`. */
  say(turn: number, text: string, listener: TurnListener, signal: AbortSignal): Promise<void>;
  /** Cuts the model's own memory of the turn: the caller heard only this much of its audio, in ms. */
  truncate(turn: number, heardMs: number): void;
  /** When the caller's last final text came, ms since the media stream began. */
  readonly lastFinalAt: number | undefined;
  /** Returns what was used so far, by provider and model. */
  usage(): CallUsage;
  /** Closes the conversation. Idempotent. */
  close(): void;
}
