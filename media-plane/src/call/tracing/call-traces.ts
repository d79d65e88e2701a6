import { isSensitiveTool, WITHHELD } from '@voice/shared/agent-tools/sensitive-tools';
import type { Clock } from '@voice/shared/clock/clock';
import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { Span, Tracer } from '@voice/shared/tracing/tracer';
import { observedModel } from '../../providers/llm/observed-model.js';
import type { Providers } from '../../providers/registry/registry.js';
import { requestSpan, usageSpans } from './model-spans.js';
import { conversationSpanId, type TracedCall, toolSpan, turnSpanId, turnSpans } from './turn-spans.js';

/** Notices that are named by the span of a conversation. */
const MOST_NOTICES = 50;

/** A live call, with what is not recorded yet. */
interface OpenTrace extends TracedCall {
  readonly streamId: string;
  readonly notices: string[];
  /** Finished requests of turns that are not over, by turn. */
  readonly requests: Map<number, Span[]>;
  /** Turns whose spans were recorded. */
  readonly finishedTurns: Set<number>;
  /** Names of tools that ran and are marked `sensitive`, an earlier agent's, too. */
  readonly sensitiveTools: Set<string>;
}

interface CallTracesOptions {
  readonly tracer: Tracer;
  readonly clock: Clock;
}

/** Makes spans of what calls emit: the conversation, its turns and their stages, tools, requests to models. */
export class CallTraces {
  readonly #options: CallTracesOptions;
  readonly #open = new Map<string, OpenTrace>();

  constructor(options: CallTracesOptions) {
    this.#options = options;
  }

  /** Returns the providers of a call with its requests to models observed. */
  providers(providers: Providers, plan: CallPlan): Providers {
    const { includesContent } = this.#options.tracer;
    const isSensitive = (name: string) =>
      isSensitiveTool(plan.agent.tools, name) ||
      this.#open.get(plan.call_id)?.sensitiveTools.has(name) === true;
    const observer = {
      clock: this.#options.clock,
      keepsText: includesContent,
      onRequest: (request: Parameters<typeof requestSpan>[1]) =>
        this.#requested(request.turn, requestSpan(plan, request, { includesContent, isSensitive })),
    };
    return {
      stt: (name) => providers.stt(name),
      llm: (name) => observedModel(providers.llm(name), observer),
      tts: (name) => providers.tts(name),
      realtime: (name) => providers.realtime(name),
      close: () => providers.close(),
    };
  }

  /** Takes an event as its call emits it. */
  take(callId: string, body: CallEventBody): void {
    const now = this.#options.clock.now();
    if (body.kind === 'media_started') {
      this.#open.set(callId, {
        callId,
        startedAt: now,
        streamId: body.stream_id,
        notices: [],
        requests: new Map(),
        finishedTurns: new Set(),
        sensitiveTools: new Set(),
      });
      return;
    }
    const call = this.#open.get(callId);
    if (!call) return;
    switch (body.kind) {
      case 'turn_metrics': {
        const { turn } = body.metrics;
        const requests = call.requests.get(turn) ?? [];
        const firstSeenAt =
          requests.length > 0 ? Math.min(...requests.map((span) => span.startedAt)) : undefined;
        call.requests.delete(turn);
        call.finishedTurns.add(turn);
        this.#record(turnSpans(call, body.metrics, { firstSeenAt, endedAt: now }));
        this.#record(requests.map((span) => ({ ...span, parentId: turnSpanId(callId, turn) })));
        break;
      }
      case 'tool_execution':
        if (body.execution.arguments === WITHHELD) call.sensitiveTools.add(body.execution.name);
        this.#record([toolSpan(call, body.execution, this.#options.tracer.includesContent)]);
        break;
      case 'notice':
        if (call.notices.length < MOST_NOTICES) call.notices.push(body.code);
        break;
      case 'ended':
        this.#open.delete(callId);
        this.#ended(call, body, now);
        break;
    }
  }

  #requested(turn: number | undefined, span: Span): void {
    const call = this.#open.get(span.callId);
    if (call && turn !== undefined && !call.finishedTurns.has(turn)) {
      call.requests.set(turn, [...(call.requests.get(turn) ?? []), span]);
      return;
    }
    const isOfTurn = call !== undefined && turn !== undefined;
    const parentId = isOfTurn ? turnSpanId(span.callId, turn) : conversationSpanId(span.callId);
    this.#record([{ ...span, parentId }]);
  }

  #ended(call: OpenTrace, body: Extract<CallEventBody, { kind: 'ended' }>, now: number): void {
    const { callId, startedAt } = call;
    const parentId = conversationSpanId(callId);
    // Of guesses that were dropped, and of turns that only called tools.
    const unheard = [...call.requests.values()].flat();
    this.#record(unheard.map((span) => ({ ...span, parentId })));
    this.#record(usageSpans(call, body.usage.segments ?? [], now));
    this.#record([
      {
        callId,
        id: parentId,
        name: 'conversation',
        startedAt,
        endedAt: now,
        attributes: {
          'call.stream.id': call.streamId,
          'call.end_reason': body.end_reason,
          'call.notices': call.notices,
          'gen_ai.conversation.id': callId,
          'session.id': callId,
          'error.type': body.error_code ?? undefined,
        },
        error: body.error_code ?? undefined,
      },
    ]);
  }

  #record(spans: readonly Span[]): void {
    for (const span of spans) this.#options.tracer.record(span);
  }
}
