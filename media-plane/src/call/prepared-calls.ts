import { describedTools } from '@voice/shared/agent-tools/described-tools';
import type { AgentMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import { type AudioFormat, L16_16K, L16_24K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import type { CallUsage } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { Conversation } from '../conversation/port.js';
import type { CallEnvironment } from './call-environment.js';

/** How many calls that were given up are remembered, so that what they used can be asked for again. */
const GIVEN_UP_REMEMBERED = 1000;
/** How many operators' notes a call without a line keeps. */
const MAX_KEPT_NOTES = 50;

export interface Notice {
  readonly code: string;
  readonly message: string;
}

/** Prepares a call whose line is not there yet: warms its conversation up and asks for its tools. */
export class PreparedCall {
  readonly plan: CallPlan;
  readonly conversation: Conversation;
  readonly mcp: AgentMcpTools;
  #notices: Notice[] = [];
  #notes: string[] = [];
  #onNotice: ((notice: Notice) => void) | undefined;

  /** @throws ProviderError when the plan names a provider that this worker does not have */
  constructor(plan: CallPlan, environment: CallEnvironment) {
    this.plan = plan;
    const notice = (code: string, message: string) => this.#notice({ code, message });
    this.mcp = environment.openMcpTools(plan.agent, ({ code, message }) => notice(code, message));
    try {
      this.conversation = environment.createConversation(plan, {
        tools: describedTools(plan.agent, this.mcp.tools),
        notice,
      });
    } catch (error) {
      this.mcp.close();
      throw error;
    }
  }

  /** Warms up for the line that the plan's carrier will bring, where that is known. */
  prepare(): void {
    const format = expectedFormat(this.plan);
    if (format) this.conversation.prepare(format);
  }

  /** Keeps an operator's note until the agent can read it; false when there are too many. */
  keepNote(text: string): boolean {
    if (this.#notes.length >= MAX_KEPT_NOTES) return false;
    this.#notes.push(text);
    return true;
  }

  /** Takes the operators' notes that were kept, in their order. */
  takeNotes(): string[] {
    return this.#notes.splice(0);
  }

  /** Hands the call over to its line: first the notices so far, then those to come. */
  begin(onNotice: (notice: Notice) => void): void {
    this.#onNotice = onNotice;
    this.mcp.begin();
    for (const notice of this.#notices.splice(0)) onNotice(notice);
  }

  /** Gives the call up: its line never came. */
  abandon(): void {
    this.conversation.close();
    this.mcp.close();
  }

  #notice(notice: Notice): void {
    if (this.#onNotice) this.#onNotice(notice);
    else this.#notices.push(notice);
  }
}

/** Undefined for a tester's WebSocket, which says it when it comes: what is synthesized for another line is paid twice. */
function expectedFormat({ carrier, agent }: CallPlan): AudioFormat | undefined {
  if (carrier.protocol === 'websocket') return undefined;
  if (carrier.protocol === 'webrtc') return agent.pipeline_type === 'realtime' ? L16_24K : L16_16K;
  switch (carrier.codec ?? 'PCMU') {
    case 'PCMU':
      return PCMU_8K;
    case 'PCMA':
      return PCMA_8K;
    case 'L16':
      return L16_16K;
  }
}

/** Holds the worker's calls between reservation and media stream. */
export class PreparedCalls {
  readonly #environment: CallEnvironment;
  readonly #calls = new Map<string, PreparedCall>();
  /** What the calls that were given up have used; none that have used nothing. */
  readonly #givenUp = new Map<string, CallUsage>();

  constructor(environment: CallEnvironment) {
    this.#environment = environment;
  }

  /** Begins to prepare a reserved call. Asking again changes nothing. */
  prepare(plan: CallPlan): void {
    if (this.#calls.has(plan.call_id)) return;
    const call = new PreparedCall(plan, this.#environment);
    this.#calls.set(plan.call_id, call);
    call.prepare();
  }

  /** Keeps an operator's note for a call whose line is still to come; false when it cannot be kept. */
  keepNote(callId: string, text: string): boolean {
    return this.#calls.get(callId)?.keepNote(text) ?? false;
  }

  /** Takes the call whose line is there. */
  take(plan: CallPlan): PreparedCall {
    const call = this.#calls.get(plan.call_id) ?? new PreparedCall(plan, this.#environment);
    this.#calls.delete(plan.call_id);
    return call;
  }

  /** Returns what preparing the call has used so far; undefined for one that is not (or no longer) prepared. */
  usage(callId: string): CallUsage | undefined {
    return this.#calls.get(callId)?.conversation.usage();
  }

  /** Gives up the call whose reservation is gone. */
  abandon(callId: string): void {
    const call = this.#calls.get(callId);
    if (!call) return;
    this.#calls.delete(callId);
    const usage = call.conversation.usage();
    call.abandon();
    if ((usage.segments ?? []).length === 0) return;
    this.#givenUp.set(callId, usage);
    const [oldest] = this.#givenUp.keys();
    if (this.#givenUp.size > GIVEN_UP_REMEMBERED && oldest !== undefined) this.#givenUp.delete(oldest);
  }

  /** Returns what a call that was given up has used; undefined when that was nothing. */
  givenUpUsage(callId: string): CallUsage | undefined {
    return this.#givenUp.get(callId);
  }
}
