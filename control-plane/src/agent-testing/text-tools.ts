import type { HttpTool } from '@voice/shared/agent-tools/http-tool';
import type { AgentSnapshot, AgentTool } from '@voice/shared/contracts/agent';
import type { ToolExecution } from '@voice/shared/contracts/call-events';
import type { IntegrationToolOutcome } from '@voice/shared/contracts/integration-tool';
import type { LlmTool, LlmToolCall } from '@voice/shared/local-mind/conversation';

/** Runs an action with the tenant's connection. */
export type TryIntegration = (
  tool: Extract<AgentTool, { type: 'integration' }>,
  args: Readonly<Record<string, unknown>>,
) => Promise<IntegrationToolOutcome>;

/** The agent's tools as its model is told of them in a text test. Pure. */
export function describedTools(agent: AgentSnapshot): LlmTool[] {
  return agent.tools.map((tool) => ({
    name: tool.name,
    description: tool.description || defaultDescription(tool),
    parameters: parametersOf(tool, agent),
  }));
}

function defaultDescription(tool: AgentTool): string {
  switch (tool.type) {
    case 'end_call':
      return 'End the call. Say goodbye first, in the same answer.';
    case 'transfer_call':
      return 'Transfer the caller to a human.';
    case 'send_dtmf':
      return 'Press keys on the phone.';
    default:
      return '';
  }
}

function parametersOf(tool: AgentTool, agent: AgentSnapshot): Readonly<Record<string, unknown>> {
  switch (tool.type) {
    case 'transfer_call': {
      const names = agent.transfer_destinations.map(({ name }) => name);
      const destination = { type: 'string', ...(names.length > 0 ? { enum: names } : {}) };
      return { type: 'object', properties: { destination }, required: ['destination'] };
    }
    case 'send_dtmf':
      return { type: 'object', properties: { digits: { type: 'string' } }, required: ['digits'] };
    case 'http':
      return { type: 'object', properties: {}, ...tool.parameters };
    case 'integration':
      return tool.parameters ?? { type: 'object', properties: {} };
    case 'end_call':
      return { type: 'object', properties: { reason: { type: 'string' } } };
    default:
      return { type: 'object', properties: {} };
  }
}

export interface ToolOutcome {
  readonly status: ToolExecution['status'];
  readonly result: string;
  /** Whether the conversation is over with it. */
  readonly ends: boolean;
}

/**
 * Runs a tool as far as a text test can: HTTP tools and integrations are really used; what needs a phone line is only
 * said to have happened.
 */
export async function runTool(
  call: LlmToolCall,
  agent: AgentSnapshot,
  { http, integration }: { readonly http: HttpTool; readonly integration: TryIntegration },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const tool = agent.tools.find(({ name }) => name === call.name);
  const args = argumentsOf(call.arguments);
  if (!args) return outcome('failed', 'The arguments are not a JSON object.');
  switch (tool?.type) {
    case undefined:
      return outcome('failed', `There is no tool named ${call.name}.`);
    case 'end_call':
      return outcome('succeeded', 'The call ends after what you have said.', true);
    case 'transfer_call':
      return outcome('succeeded', 'In a text test nobody is transferred; a call would be here.', true);
    case 'send_dtmf':
      return outcome('succeeded', 'In a text test no keys are pressed; on a call they would be.');
    case 'http':
      try {
        const limited = AbortSignal.any([signal, AbortSignal.timeout(tool.timeout_ms)]);
        return outcome('succeeded', await http(tool, args, limited));
      } catch (error) {
        return outcome('failed', error instanceof Error ? error.message : 'The tool failed.');
      }
    case 'integration': {
      const { ok, result } = await integration(tool, args);
      return outcome(ok ? 'succeeded' : 'failed', result);
    }
    case 'mcp':
      return outcome('failed', `A text test cannot run tools of the type ${tool.type}.`);
  }
}

function outcome(status: ToolOutcome['status'], result: string, ends = false): ToolOutcome {
  return { status, result, ends };
}

/** What the model wrote as arguments; undefined when it is no JSON object. */
export function argumentsOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
