import { callableTools, describedTools, parseArguments } from '@voice/shared/agent-tools/described-tools';
import type { HttpTool } from '@voice/shared/agent-tools/http-tool';
import type { AgentMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import { isSensitiveTool, WITHHELD } from '@voice/shared/agent-tools/sensitive-tools';
import { ToolArguments } from '@voice/shared/agent-tools/tool-arguments';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { AgentSnapshot, AgentTool } from '@voice/shared/contracts/agent';
import type { CallEventBody, ToolExecution } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import {
  LONGEST_BRIEFING,
  OUTCOME_LIMIT_MS,
  TRANSFER_LIMIT_MS,
} from '@voice/shared/contracts/transfer-times';
import type { IntegrationTool } from '../control-link/integration-tool.js';
import type { HandoffWish } from './call-agents.js';
import type { ToolCall } from './turn-taking/events.js';

export interface ToolRunnerOptions {
  /** The call's plan, with the agent that speaks now. */
  readonly plan: CallPlan;
  readonly clock: Clock;
  /** ms since the media stream began. */
  readonly now: () => number;
  readonly emit: (body: CallEventBody) => void;
  readonly httpTool: HttpTool;
  readonly integrationTool: IntegrationTool;
  readonly mcp: Pick<AgentMcpTools, 'tools' | 'call'>;
  /** Gets another agent ready; resolves with what its model gets to read. */
  readonly handOver: (wish: HandoffWish, signal: AbortSignal) => Promise<string>;
  /** Resolves when the keys' tones were heard. */
  readonly pressKeys: (digits: string, signal: AbortSignal) => Promise<void>;
  /** A tool marked `sensitive` begins to run, or has ended. */
  readonly onSensitive: (callId: string, running: boolean) => void;
  readonly onFinished: (callId: string, ok: boolean, result: string) => void;
}

/** How long an integration's action may take, in ms: a caller waits for it. */
const INTEGRATION_TIMEOUT_MS = 20_000;

/** How long the other agent may take to be ready, in ms. */
const HANDOFF_TIMEOUT_MS = 10_000;

/** How long the longest row of keys may sound, and one before it, in ms. */
const KEYS_TIMEOUT_MS = 20_000;
const KEYS = /^[0-9*#A-D]{1,32}$/;

type HandoffTargets = Extract<AgentTool, { type: 'transfer_to_agent' }>['agents'];

interface Running {
  readonly call: ToolCall;
  readonly args: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  readonly sensitive: boolean;
  readonly controller: AbortController;
  timer: Timer | undefined;
}

/** Runs a call's tools, one execution record each, and reports their results to the reducer. */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  readonly #running = new Map<string, Running>();
  /** By the agent that speaks: another's tool of the same name has its own schema. */
  readonly #arguments = new WeakMap<AgentSnapshot, ToolArguments>();

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  run(call: ToolCall): void {
    const running: Running = {
      call,
      args: parseArguments(call.arguments) ?? {},
      startedAt: this.#options.now(),
      sensitive: isSensitiveTool(this.#options.plan.agent.tools, call.name),
      controller: new AbortController(),
      timer: undefined,
    };
    this.#running.set(call.id, running);
    if (running.sensitive) this.#options.onSensitive(call.id, true);
    if (parseArguments(call.arguments) === undefined) {
      this.#finish(
        running,
        'failed',
        'The arguments are not a JSON object, or too long. Call the tool again with valid JSON.',
      );
      return;
    }
    const refusal = this.#refusalOf(running);
    if (refusal !== undefined) {
      this.#finish(running, 'failed', refusal);
      return;
    }
    const tool = callableTools(this.#options.plan.agent).find((candidate) => candidate.name === call.name);
    const { signal } = running.controller;
    switch (tool?.type) {
      case 'end_call':
        this.#finish(running, 'succeeded', 'The call ends after what you have said.');
        break;
      case 'transfer_call':
        this.#requestTransfer(running, tool.transfer_type);
        break;
      case 'transfer_to_agent':
        this.#handOver(running, tool.agents, signal);
        break;
      case 'http':
        this.#runWithin(tool.timeout_ms, running, this.#options.httpTool(tool, running.args, signal));
        break;
      case 'integration': {
        const name = { callId: this.#options.plan.call_id, toolCallId: call.id };
        const result = this.#options.integrationTool(tool, running.args, name, signal);
        this.#runWithin(INTEGRATION_TIMEOUT_MS, running, result);
        break;
      }
      case 'send_dtmf':
        this.#pressKeys(running, signal);
        break;
      case undefined:
        this.#runMcpTool(running, signal);
        break;
    }
  }

  /** Returns why a tool outside must not be run with its arguments; the call's own tools check theirs themselves. */
  #refusalOf({ call, args }: Running): string | undefined {
    if (call.kind !== 'http' && call.kind !== 'integration' && call.kind !== 'mcp') return undefined;
    const { plan, mcp } = this.#options;
    const tool = describedTools(plan.agent, mcp.tools).find(({ name }) => name === call.name);
    return tool && this.#argumentsOf(plan.agent).refusal(tool, args);
  }

  #argumentsOf(agent: AgentSnapshot): ToolArguments {
    const known = this.#arguments.get(agent);
    if (known) return known;
    const created = new ToolArguments();
    this.#arguments.set(agent, created);
    return created;
  }

  #pressKeys(running: Running, signal: AbortSignal): void {
    const digits = String(running.args.digits ?? '').toUpperCase();
    if (!KEYS.test(digits)) {
      this.#finish(running, 'failed', 'digits must be 1 to 32 keys of 0-9, *, # and A-D.');
      return;
    }
    const pressed = this.#options.pressKeys(digits, signal).then(() => `Pressed ${digits}.`);
    this.#runWithin(KEYS_TIMEOUT_MS, running, pressed);
  }

  #runMcpTool(running: Running, signal: AbortSignal): void {
    const { mcp } = this.#options;
    const { name } = running.call;
    const tool = mcp.tools.find((candidate) => candidate.name === name);
    if (tool) this.#runWithin(tool.timeoutMs, running, mcp.call(tool, running.args, signal));
    else this.#finish(running, 'failed', `There is no tool named ${name}.`);
  }

  /** Takes the control plane's result of a transfer. */
  transferResult(callId: string, ok: boolean, message: string): void {
    const running = this.#running.get(callId);
    if (running) this.#finish(running, ok ? 'succeeded' : 'failed', message);
  }

  /** Gives a tool up because the caller spoke; nothing more is reported of it. */
  cancel(callId: string): void {
    const running = this.#running.get(callId);
    if (!running) return;
    this.#settle(running);
    this.#record(running, 'cancelled', 'The caller spoke, so this was given up.');
  }

  /** Cancels what still runs, and records it as cancelled: the call is over. */
  close(): void {
    for (const running of [...this.#running.values()]) {
      this.#settle(running);
      this.#record(running, 'cancelled', 'The call ended first.');
    }
  }

  #requestTransfer(running: Running, transferType: 'warm' | 'cold'): void {
    const wanted = String(running.args.destination ?? '');
    const destinations = this.#options.plan.agent.transfer_destinations;
    const known = destinations.find(({ name, phone_number }) => name === wanted || phone_number === wanted);
    if (!known) {
      const names = destinations.map(({ name }) => name).join(', ') || 'none is configured';
      this.#finish(running, 'failed', `There is no such destination. Destinations: ${names}.`);
      return;
    }
    const { clock, emit } = this.#options;
    const briefing = String(running.args.briefing ?? '')
      .trim()
      .slice(0, LONGEST_BRIEFING);
    emit({
      kind: 'transfer_requested',
      tool_call_id: running.call.id,
      destination: known.phone_number,
      transfer_type: transferType,
      ...(transferType === 'warm' && briefing !== '' ? { briefing } : {}),
      give_up_at: clock.now() + TRANSFER_LIMIT_MS,
    });
    running.timer = clock.schedule(TRANSFER_LIMIT_MS + OUTCOME_LIMIT_MS, () =>
      this.#finish(running, 'timed_out', 'The transfer could not be made. The caller is still with you.'),
    );
  }

  #handOver(running: Running, agents: HandoffTargets, signal: AbortSignal): void {
    const { agent: wanted, reason, summary } = running.args;
    const known = agents.find(({ name }) => name === wanted);
    if (!known) {
      const names = agents.map(({ name }) => name).join(', ');
      this.#finish(running, 'failed', `There is no such agent. Agents: ${names}.`);
      return;
    }
    const wish: HandoffWish = {
      toolCallId: running.call.id,
      agentId: known.agent_id,
      reason: String(reason ?? '').trim(),
      summary: String(summary ?? '').trim(),
    };
    this.#runWithin(HANDOFF_TIMEOUT_MS, running, this.#options.handOver(wish, signal));
  }

  #runWithin(timeoutMs: number, running: Running, result: Promise<string>): void {
    running.timer = this.#options.clock.schedule(timeoutMs, () => {
      running.controller.abort();
      this.#finish(running, 'timed_out', 'The tool did not answer in time.');
    });
    result.then(
      (text) => this.#finish(running, 'succeeded', text),
      (error: unknown) =>
        this.#finish(running, 'failed', error instanceof Error ? error.message : 'The tool failed.'),
    );
  }

  #finish(running: Running, status: ToolExecution['status'], result: string): void {
    if (!this.#settle(running)) return;
    this.#record(running, status, result);
    this.#options.onFinished(running.call.id, status === 'succeeded', result);
  }

  #settle(running: Running): boolean {
    running.timer?.cancel();
    running.controller.abort();
    const settled = this.#running.delete(running.call.id);
    if (settled && running.sensitive) this.#options.onSensitive(running.call.id, false);
    return settled;
  }

  #record(running: Running, status: ToolExecution['status'], result: string): void {
    const withheld = running.sensitive;
    this.#options.emit({
      kind: 'tool_execution',
      execution: {
        tool_call_id: running.call.id,
        name: running.call.name,
        arguments: withheld ? WITHHELD : running.args,
        result: withheld ? WITHHELD : result,
        status,
        started_at_ms: Math.round(running.startedAt),
        ended_at_ms: Math.round(this.#options.now()),
      },
    });
  }
}
