import type { ToolExecution, TurnMetrics } from '@voice/shared/contracts/call-events';
import { spanIdOf } from '@voice/shared/ids/call-trace';
import type { Span } from '@voice/shared/tracing/tracer';

/** A call as its spans need it: when its media stream began, in epoch ms. */
export interface TracedCall {
  readonly callId: string;
  readonly startedAt: number;
}

/** Returns the id of the span of the conversation, which the worker's other spans are under. */
export const conversationSpanId = (callId: string): string => spanIdOf(callId, 'conversation');

/** Returns the id of the span of an agent's turn. */
export const turnSpanId = (callId: string, turn: number): string => spanIdOf(callId, `turn:${turn}`);

/** Returns when the caller's speech before a turn ended, in epoch ms; undefined where none did, or nothing was audible. */
function speechEndedAt({ startedAt }: TracedCall, metrics: TurnMetrics): number | undefined {
  const { audible_at_ms: audible, response_latency_ms: latency } = metrics;
  if (audible === null || audible === undefined || latency === null) return undefined;
  return startedAt + audible - latency;
}

/**
 * Builds the spans of a turn that is over: from the end of the caller's speech, or the first sign of the turn where no
 * speech was before it, to its last audio; under it the stages that the caller waited for.
 * @param firstSeenAt when the first request for the turn was made, in epoch ms
 */
export function turnSpans(
  call: TracedCall,
  metrics: TurnMetrics,
  { firstSeenAt, endedAt }: { readonly firstSeenAt: number | undefined; readonly endedAt: number },
): Span[] {
  const { callId } = call;
  const audibleAt = metrics.audible_at_ms ?? undefined;
  const speechEnded = speechEndedAt(call, metrics);
  const signs = [speechEnded, firstSeenAt, audibleAt === undefined ? undefined : call.startedAt + audibleAt];
  const startedAt = signs.find((sign) => sign !== undefined) ?? endedAt;
  const turn: Span = {
    callId,
    id: turnSpanId(callId, metrics.turn),
    parentId: conversationSpanId(callId),
    name: 'turn',
    startedAt,
    endedAt,
    attributes: {
      'call.turn': metrics.turn,
      'call.turn.preempted': metrics.preempted,
      'call.turn.response_latency_ms': metrics.response_latency_ms ?? undefined,
      'call.turn.barge_in_latency_ms': metrics.barge_in_latency_ms ?? undefined,
    },
  };
  return speechEnded === undefined ? [turn] : [turn, ...stageSpans(call, metrics, speechEnded)];
}

/** Each stage lasts from the one before it; what a preemptive generation had ready lasts no time. */
function stageSpans({ callId }: TracedCall, metrics: TurnMetrics, speechEnded: number): Span[] {
  const { end_of_turn_delay_ms: endOfTurn, llm_first_token_ms: firstToken } = metrics;
  const stages = [
    ['stt', 0, metrics.stt_final_ms],
    ['end_of_turn', 0, endOfTurn],
    ['llm', endOfTurn ?? 0, firstToken],
    ['tts', Math.max(endOfTurn ?? 0, firstToken ?? 0), metrics.tts_first_audio_ms],
    [
      'playout',
      Math.max(endOfTurn ?? 0, metrics.tts_first_audio_ms ?? firstToken ?? 0),
      metrics.response_latency_ms,
    ],
  ] as const;
  return stages.flatMap(([name, from, to]) =>
    to === null
      ? []
      : [
          {
            callId,
            parentId: turnSpanId(callId, metrics.turn),
            name,
            startedAt: speechEnded + Math.min(from, to),
            endedAt: speechEnded + to,
            attributes: { 'call.turn': metrics.turn },
          },
        ],
  );
}

/** Builds the span of a tool. Source: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span */
export function toolSpan(call: TracedCall, execution: ToolExecution, includesContent: boolean): Span {
  const { name, status } = execution;
  return {
    callId: call.callId,
    parentId: conversationSpanId(call.callId),
    name: `execute_tool ${name}`,
    startedAt: call.startedAt + execution.started_at_ms,
    endedAt: call.startedAt + execution.ended_at_ms,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': execution.tool_call_id,
      'call.tool.status': status,
      ...(includesContent && {
        'gen_ai.tool.call.arguments': JSON.stringify(execution.arguments),
        'gen_ai.tool.call.result': JSON.stringify(execution.result),
      }),
    },
    error: status === 'failed' || status === 'timed_out' ? status : undefined,
  };
}
