import { WITHHELD } from '@voice/shared/agent-tools/sensitive-tools';
import type { UsageSegment } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { LlmMessage, LlmToolCall } from '@voice/shared/language-model/conversation';
import type { Span, SpanAttributes } from '@voice/shared/tracing/tracer';
import type { ModelRequest } from '../../providers/llm/observed-model.js';
import { lateResultOf } from '../turn-taking/late-result.js';
import { conversationSpanId, type TracedCall } from './turn-spans.js';

/** Names that the conventions give providers, where they are not ours. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = { gemini: 'gcp.gemini' };

const providerName = (name: string): string => PROVIDER_NAMES[name] ?? name;

/** Which texts a span has. */
interface TextOptions {
  readonly includesContent: boolean;
  /** Whether what the tool is given, and what it answers, are left out all the same. */
  readonly isSensitive: (toolName: string) => boolean;
}

/**
 * Builds the span of a request to a language model, without its parent.
 * Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#inference
 */
export function requestSpan(
  plan: CallPlan,
  request: ModelRequest,
  { includesContent, isSensitive }: TextOptions,
): Span {
  const { model, firstTokenMs, startedAt } = request;
  return {
    callId: plan.call_id,
    name: model === '' ? 'chat' : `chat ${model}`,
    kind: 'client',
    startedAt,
    endedAt: startedAt + request.durationMs,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerName(request.provider),
      'gen_ai.request.model': model || undefined,
      'gen_ai.request.stream': true,
      'gen_ai.conversation.id': plan.call_id,
      'gen_ai.agent.id': plan.agent.id,
      'gen_ai.agent.name': plan.agent.name,
      'gen_ai.usage.input_tokens': request.inputTokens,
      'gen_ai.usage.output_tokens': request.outputTokens,
      'gen_ai.response.time_to_first_chunk': firstTokenMs === undefined ? undefined : firstTokenMs / 1000,
      'error.type': request.error,
      'session.id': plan.call_id,
      'langfuse.observation.type': 'generation',
      'langfuse.observation.completion_start_time':
        firstTokenMs === undefined ? undefined : new Date(startedAt + firstTokenMs).toISOString(),
      'call.turn': request.turn,
      'call.request.cancelled': request.isCancelled,
      ...(includesContent && contentOf(request, isSensitive)),
    },
    error: request.error,
  };
}

/** Texts, in the conventions' form. */
function contentOf(
  { messages, text, toolCalls }: ModelRequest,
  isSensitive: TextOptions['isSensitive'],
): SpanAttributes {
  const asked = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []) : [],
  );
  const sensitive = asked.filter(({ name }) => isSensitive(name));
  const parts = [
    ...(text === '' ? [] : [{ type: 'text', content: text }]),
    ...toolCalls.map((call) => ({
      type: 'tool_call',
      id: call.id,
      name: call.name,
      arguments: isSensitive(call.name) ? WITHHELD : call.arguments,
    })),
  ];
  return {
    'gen_ai.input.messages': JSON.stringify(messages.map((message) => inputMessage(message, sensitive))),
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
  };
}

/** @param sensitive calls whose results are left out, at once or late */
function inputMessage(message: LlmMessage, sensitive: readonly LlmToolCall[]) {
  if (message.role === 'tool') {
    const { toolCallId: id } = message;
    const response = sensitive.some((call) => call.id === id) ? WITHHELD : message.content;
    return { role: 'tool', parts: [{ type: 'tool_call_response', id, response }] };
  }
  const isWithheld =
    message.role === 'system' && sensitive.some(({ name }) => message.content.startsWith(lateResultOf(name)));
  return { role: message.role, parts: [{ type: 'text', content: isWithheld ? WITHHELD : message.content }] };
}

/** Builds the spans of what was open all call long, with what it used: recogniser, voice, speech-to-speech model. */
export function usageSpans(call: TracedCall, segments: readonly UsageSegment[], endedAt: number): Span[] {
  return segments.flatMap((segment) => {
    // Each of its requests has a span of its own.
    if (segment.kind === 'llm') return [];
    const { kind, provider, model, fallback } = segment;
    return [
      {
        callId: call.callId,
        parentId: conversationSpanId(call.callId),
        name: `${kind} ${provider}`,
        kind: 'client' as const,
        startedAt: call.startedAt,
        endedAt,
        attributes: {
          'gen_ai.operation.name': OPERATIONS[kind],
          'gen_ai.provider.name': providerName(provider),
          'gen_ai.request.model': model || undefined,
          'gen_ai.conversation.id': call.callId,
          'session.id': call.callId,
          'call.provider.fallback': fallback,
          ...usageOf(segment),
        },
      },
    ];
  });
}

/** `chat` is of the conventions; for transcription and speech they have no name yet. */
const OPERATIONS = { stt: 'speech_to_text', tts: 'text_to_speech', realtime: 'chat' } as const;

function usageOf(segment: Exclude<UsageSegment, { kind: 'llm' }>): SpanAttributes {
  switch (segment.kind) {
    case 'stt':
      return { 'call.usage.audio_ms': segment.audio_ms };
    case 'tts':
      return { 'call.usage.characters': segment.characters };
    case 'realtime':
      return {
        'call.usage.audio_ms': segment.audio_ms,
        'gen_ai.usage.input_tokens': segment.input_audio_tokens + segment.input_text_tokens,
        'gen_ai.usage.output_tokens': segment.output_audio_tokens + segment.output_text_tokens,
        'gen_ai.usage.cache_read.input_tokens': segment.cached_audio_tokens + segment.cached_text_tokens,
      };
  }
}
