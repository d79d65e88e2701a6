import type { HttpTool } from '@voice/shared/agent-tools/http-tool';
import type { AgentMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import type { McpTool } from '@voice/shared/agent-tools/mcp/offered-tools';
import type { AgentSnapshot, AgentTool } from '@voice/shared/contracts/agent';
import type { ToolExecution } from '@voice/shared/contracts/call-events';
import type { IntegrationToolOutcome } from '@voice/shared/contracts/integration-tool';
import type { LlmTool, LlmToolCall } from '@voice/shared/local-mind/conversation';

/** Runs an action with the tenant's connection. */
export type TryIntegration = (
  tool: Extract<AgentTool, { type: 'integration' }>,
  args: Readonly<Record<string, unknown>>,
) => Promise<IntegrationToolOutcome>;

/** A tool that the model can call by its name; an MCP server is none itself, but has some. */
type CallableTool = Exclude<AgentTool, { type: 'mcp' }>;

function callableTools(agent: AgentSnapshot): CallableTool[] {
  return agent.tools.filter((tool) => tool.type !== 'mcp');
}

/** The tools of the agent and its MCP servers as its model is told of them in a text test. Pure. */
export function describedTools(agent: AgentSnapshot, mcpTools: readonly McpTool[]): LlmTool[] {
  const own = callableTools(agent).map((tool) => ({
    name: tool.name,
    description: tool.description || defaultDescription(tool),
    parameters: parametersOf(tool, agent),
  }));
  const theirs = mcpTools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return [...own, ...theirs];
}

function defaultDescription(tool: CallableTool): string {
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

function parametersOf(tool: CallableTool, agent: AgentSnapshot): Readonly<Record<string, unknown>> {
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

/** What carries out the tools that a text test can use. */
export interface TextTools {
  readonly http: HttpTool;
  readonly integration: TryIntegration;
  readonly mcp: Pick<AgentMcpTools, 'tools' | 'call'>;
}

export interface ToolOutcome {
  readonly status: ToolExecution['status'];
  readonly result: string;
  /** Whether the conversation is over with it. */
  readonly ends: boolean;
}

/**
 * Runs a tool as far as a text test can: HTTP tools, integrations and MCP servers are really used; what needs a phone
 * line is only said to have happened.
 */
export async function runTool(
  call: LlmToolCall,
  agent: AgentSnapshot,
  { http, integration, mcp }: TextTools,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const tool = callableTools(agent).find(({ name }) => name === call.name);
  const args = argumentsOf(call.arguments);
  if (!args) return outcome('failed', 'The arguments are not a JSON object.');
  switch (tool?.type) {
    case undefined: {
      const theirs = mcp.tools.find(({ name }) => name === call.name);
      if (!theirs) return outcome('failed', `There is no tool named ${call.name}.`);
      return attempt(mcp.call(theirs, args, signal));
    }
    case 'end_call':
      return outcome('succeeded', 'The call ends after what you have said.', true);
    case 'transfer_call':
      return outcome('succeeded', 'In a text test nobody is transferred; a call would be here.', true);
    case 'send_dtmf':
      return outcome('succeeded', 'In a text test no keys are pressed; on a call they would be.');
    case 'http':
      return attempt(http(tool, args, AbortSignal.any([signal, AbortSignal.timeout(tool.timeout_ms)])));
    case 'integration': {
      const { ok, result } = await integration(tool, args);
      return outcome(ok ? 'succeeded' : 'failed', result);
    }
  }
}

async function attempt(result: Promise<string>): Promise<ToolOutcome> {
  try {
    return outcome('succeeded', await result);
  } catch (error) {
    return outcome('failed', error instanceof Error ? error.message : 'The tool failed.');
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
