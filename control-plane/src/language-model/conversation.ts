import type { LlmMessage, LlmTool, LlmToolCall } from '@voice/shared/language-model/conversation';
import type { ModelChoice } from './port.js';

export interface ConversationRequest {
  /** The agent's own choice; `local` is answered without a network, by rules. */
  readonly choice: ModelChoice;
  readonly messages: readonly LlmMessage[];
  readonly tools: readonly LlmTool[];
}

export type ConversationEvent =
  | { readonly type: 'text'; readonly delta: string }
  /** A whole tool call. */
  | { readonly type: 'tool_call'; readonly call: LlmToolCall }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number };

/** An agent's language model in conversation, outside of calls: streams one answer. Throws `language_model_failed`. */
export interface ConversationModel {
  converse(request: ConversationRequest, signal: AbortSignal): AsyncIterable<ConversationEvent>;
}
