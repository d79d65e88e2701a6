import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { LlmMessage, LlmTool, LlmToolCall } from '@voice/shared/language-model/conversation';
import { NOTHING_TO_PREPARE, type Preparation } from '../preparation.js';

/** The provider that requests go to. */
export interface LlmTarget {
  readonly choice: ProviderChoice;
  readonly credentials: ProviderCredentials;
}

export interface LlmRequest extends LlmTarget {
  readonly messages: readonly LlmMessage[];
  readonly tools: readonly LlmTool[];
  /** The agent's turn that the answer is for; for observers: adapters ignore it. */
  readonly turn?: number;
}

export type LlmEvent =
  | { readonly type: 'text'; readonly delta: string }
  /** Part of a tool call came, as a sign of life: the call follows when it is whole. */
  | { readonly type: 'tool_call_part' }
  /** A complete tool call. Its arguments have been received whole, or are no JSON where the answer was cut off in them. */
  | { readonly type: 'tool_call'; readonly call: LlmToolCall }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number };

/**
 * Streams one answer; the iterable ends with it. Throws `ProviderError`; on abort it ends promptly
 * (by return or by the signal's reason) and frees its connection.
 */
export interface LanguageModel {
  readonly name: string;
  /** What an empty model means; absent where there is but one. */
  readonly defaultModel?: string;
  generate(request: LlmRequest, signal: AbortSignal): AsyncIterable<LlmEvent>;
  /**
   * Keeps connections open for a call's answers, so that none waits for a handshake. Absent where there is nothing to
   * open; wrappers pass it on (`prepareModel`).
   */
  prepare?(target: LlmTarget): Preparation;
}

/** Prepares a model, if there is anything to prepare. */
export function prepareModel(model: LanguageModel, target: LlmTarget): Preparation {
  return model.prepare?.(target) ?? NOTHING_TO_PREPARE;
}
