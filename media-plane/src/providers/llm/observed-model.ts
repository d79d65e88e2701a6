import type { Clock } from '@voice/shared/clock/clock';
import type { LlmMessage, LlmToolCall } from '@voice/shared/language-model/conversation';
import { ProviderError } from '../provider-error.js';
import { type LanguageModel, type LlmEvent, type LlmRequest, prepareModel } from './port.js';

/** A request to a language model that is over. */
export interface ModelRequest {
  readonly provider: string;
  /** Empty where the provider has but one. */
  readonly model: string;
  /** The agent's turn that the answer was for; undefined where it was for none. */
  readonly turn: number | undefined;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** To the first text or tool call; undefined: none came. */
  readonly firstTokenMs: number | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** Nobody wanted the rest of the answer. */
  readonly isCancelled: boolean;
  /** Why it failed: the provider error's code. */
  readonly error: string | undefined;
  readonly messages: readonly LlmMessage[];
  /** Of the answer; empty unless texts are kept. */
  readonly text: string;
  readonly toolCalls: readonly LlmToolCall[];
}

export interface ModelObserver {
  readonly clock: Clock;
  readonly keepsText: boolean;
  readonly onRequest: (request: ModelRequest) => void;
}

/** Observes each request to a model, whatever it is for: first choice, fallback, or a second one beside a late first. */
export function observedModel(model: LanguageModel, observer: ModelObserver): LanguageModel {
  const { clock, keepsText, onRequest } = observer;
  async function* generate(request: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    const startedAt = clock.now();
    const from = clock.monotonic();
    const seen: { firstTokenMs?: number; usage?: Extract<LlmEvent, { type: 'usage' }>; error?: unknown } = {};
    const toolCalls: LlmToolCall[] = [];
    let text = '';
    let isWhole = false;
    try {
      for await (const event of model.generate(request, signal)) {
        if (event.type === 'usage') seen.usage = event;
        else seen.firstTokenMs ??= clock.monotonic() - from;
        if (keepsText && event.type === 'text') text += event.delta;
        if (keepsText && event.type === 'tool_call') toolCalls.push(event.call);
        yield event;
      }
      isWhole = true;
    } catch (error) {
      seen.error = error;
      throw error;
    } finally {
      const error = errorOf(seen.error, signal);
      onRequest({
        provider: model.name,
        model: request.choice.model || model.defaultModel || '',
        turn: request.turn,
        startedAt,
        durationMs: clock.monotonic() - from,
        firstTokenMs: seen.firstTokenMs,
        inputTokens: seen.usage?.inputTokens,
        outputTokens: seen.usage?.outputTokens,
        isCancelled: error === undefined && (!isWhole || signal.aborted),
        error,
        messages: request.messages,
        text,
        toolCalls,
      });
    }
  }
  const { defaultModel } = model;
  return {
    name: model.name,
    ...(defaultModel === undefined ? {} : { defaultModel }),
    generate,
    prepare: (target) => prepareModel(model, target),
  };
}

/** Returns the code of a failure; undefined for an answer that was broken off because it was not wanted any more. */
function errorOf(thrown: unknown, { aborted, reason }: AbortSignal): string | undefined {
  const cause: unknown = aborted ? reason : thrown;
  if (cause instanceof ProviderError) return cause.code;
  return aborted || thrown === undefined ? undefined : 'internal_error';
}
