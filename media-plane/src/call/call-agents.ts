import { describedTools } from '@voice/shared/agent-tools/described-tools';
import type { AudioFormat } from '@voice/shared/audio/format';
import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { MAX_HANDOFF_REASON, MAX_HANDOFF_SUMMARY } from '@voice/shared/contracts/handoff';
import type { LlmTool, LlmToolCall } from '@voice/shared/language-model/conversation';
import { SuccessiveConversations } from '../conversation/successive.js';
import { ProviderError } from '../providers/provider-error.js';
import type { CallEnvironment } from './call-environment.js';
import { classifyToolCall } from './classify-tool-call.js';
import { type Notice, PreparedCall } from './prepared-calls.js';
import type { ToolCall } from './turn-taking/events.js';
import type { NextAgent } from './turn-taking/next-agent.js';
import { turnTakingOptions } from './turn-taking-inputs.js';

/** What the model wants of a handoff. */
export interface HandoffWish {
  readonly toolCallId: string;
  readonly agentId: string;
  readonly reason: string;
  readonly summary: string;
}

export interface CallAgentsOptions {
  readonly first: PreparedCall;
  readonly environment: CallEnvironment;
  readonly format: AudioFormat;
  /** ms since the media stream began. */
  readonly now: () => number;
  readonly emit: (body: CallEventBody) => void;
  readonly onNotice: (notice: Notice) => void;
  /** The next agent can speak; it takes over when turn-taking says so. */
  readonly onReady: (agent: NextAgent) => void;
}

/** Holds the agents of one call: who speaks now, who spoke before, and who is about to take over. */
export class CallAgents {
  readonly conversation: SuccessiveConversations;
  readonly #options: CallAgentsOptions;
  readonly #earlier: PreparedCall[] = [];
  #current: PreparedCall;
  #next: { readonly prepared: PreparedCall; readonly wish: HandoffWish } | undefined;
  #isAsking = false;

  constructor(options: CallAgentsOptions) {
    this.#options = options;
    this.#current = options.first;
    this.conversation = new SuccessiveConversations(options.first.conversation, options.environment.clock);
  }

  /** The call's plan, with the agent that speaks now. */
  get plan(): CallPlan {
    return this.#current.plan;
  }

  get mcp() {
    return this.#current.mcp;
  }

  tools(): LlmTool[] {
    return describedTools(this.plan.agent, this.mcp.tools);
  }

  classify(call: LlmToolCall): ToolCall {
    return classifyToolCall(call, this.plan.agent, this.mcp.tools);
  }

  /**
   * Gets the other agent ready. Resolves with what its model gets to read; throws, in words for the model that asked,
   * when there is no such agent or it cannot run.
   */
  async handOver(wish: HandoffWish, signal: AbortSignal): Promise<string> {
    if (this.#isAsking || this.#next) throw new Error('The caller is already being handed over.');
    this.#isAsking = true;
    try {
      const prepared = await this.#prepare(wish, signal);
      const from = this.plan.agent.name;
      this.#next = { prepared, wish };
      this.#options.onReady(this.#turnTakingOf(prepared));
      return briefing(from, prepared.plan.agent.name, wish);
    } finally {
      this.#isAsking = false;
    }
  }

  /** Makes the agent that is ready the one that speaks. */
  takeOver(): void {
    const next = this.#next;
    if (!next) return;
    this.#next = undefined;
    const { prepared, wish } = next;
    const from = this.plan.agent.id;
    const { id, name } = prepared.plan.agent;
    this.#earlier.push(this.#current);
    this.#current = prepared;
    this.conversation.takeOver(id, prepared.conversation);
    this.#options.emit({
      kind: 'agent_handoff',
      tool_call_id: wish.toolCallId,
      from_agent_id: from,
      agent_id: id,
      agent_name: name,
      reason: wish.reason,
      summary: wish.summary,
      at_ms: Math.round(this.#options.now()),
    });
  }

  /** Closes what belongs to the agents, but for the conversation. */
  close(): void {
    this.#next?.prepared.abandon();
    this.#next = undefined;
    for (const { mcp } of [...this.#earlier, this.#current]) mcp.close();
  }

  async #prepare(wish: HandoffWish, signal: AbortSignal): Promise<PreparedCall> {
    const { environment, format, onNotice } = this.#options;
    const { plan } = this;
    const reply = await environment.requestHandoff(
      {
        call_id: plan.call_id,
        tool_call_id: wish.toolCallId,
        from_agent_id: plan.agent.id,
        agent_id: wish.agentId,
        reason: wish.reason.slice(0, MAX_HANDOFF_REASON),
        summary: wish.summary.slice(0, MAX_HANDOFF_SUMMARY),
      },
      signal,
    );
    if (!reply.ok) throw new Error(reply.reason);
    signal.throwIfAborted();
    const { credentials } = reply;
    // The other agent answers what was said: their first message is not said, and so not synthesized ahead.
    const agent = { ...reply.agent, first_message: '' };
    // What was disclosed at the beginning was disclosed for the call.
    const prepared = prepareAgent({ ...plan, agent, credentials, disclosure: null }, environment);
    const abandon = () => prepared.abandon();
    signal.addEventListener('abort', abandon, { once: true });
    prepared.begin(onNotice);
    // A speech-to-speech session opens with what was said so far, hence when it takes over.
    if (prepared.conversation.hearsWords) prepared.conversation.prepare(format);
    await prepared.mcp.ready;
    signal.throwIfAborted();
    // The tool's signal aborts when it is done, too.
    signal.removeEventListener('abort', abandon);
    return prepared;
  }

  #turnTakingOf({ plan, conversation }: PreparedCall): NextAgent {
    const { environment } = this.#options;
    const { hearsWords } = conversation;
    const { settings, language, silenceTimeoutMs, turnDeadlineMs, recogniser } = turnTakingOptions(plan, {
      hearsWords,
      turnDeadlineMs: environment.turnDeadlineMs?.(plan),
      recogniser: environment.statistics?.habitsFor(plan),
    });
    return {
      settings,
      language,
      silenceTimeoutMs,
      hearsWords,
      ...(turnDeadlineMs === undefined ? {} : { turnDeadlineMs }),
      ...(recogniser ? { recogniser } : {}),
    };
  }
}

function prepareAgent(plan: CallPlan, environment: CallEnvironment): PreparedCall {
  try {
    return new PreparedCall(plan, environment);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new Error(
      `${plan.agent.name} cannot speak here (${error.message}). Go on with the caller yourself.`,
      {
        cause: error,
      },
    );
  }
}

function briefing(from: string, to: string, { reason, summary }: HandoffWish): string {
  return [
    `The caller is now yours: ${from} has handed the call over to you, ${to}.`,
    ...(reason === '' ? [] : [`Reason: ${reason}`]),
    ...(summary === '' ? [] : [`What you must know: ${summary}`]),
    'Introduce yourself in a few words and go on from there. Do not ask again for what is known already.',
  ].join('\n');
}
