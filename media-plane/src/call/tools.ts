import type { McpTool } from '@voice/shared/agent-tools/mcp/offered-tools';
import type { AgentSnapshot, AgentTool } from '@voice/shared/contracts/agent';
import type { LlmTool, LlmToolCall } from '../providers/llm/port.js';
import type { ToolCall } from './turn-taking/events.js';

/** A tool that the model can call by its name; an MCP server is none itself, but has some. */
type CallableTool = Exclude<AgentTool, { type: 'mcp' }>;

export function callableTools(agent: AgentSnapshot): CallableTool[] {
  return agent.tools.filter((tool) => tool.type !== 'mcp');
}

/** The tools of the agent and of its MCP servers, as the model is told of them. */
export function describeTools(agent: AgentSnapshot, mcpTools: readonly McpTool[]): LlmTool[] {
  const own = callableTools(agent).map((tool) => ({
    name: tool.name,
    description: tool.description || defaultDescription(tool),
    parameters: parameters(tool, agent),
  }));
  const theirs = mcpTools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return [...own, ...theirs];
}

/** What the model called, with what the reducer must know of the tool. */
export function classifyToolCall(
  { id, name, arguments: args }: LlmToolCall,
  agent: AgentSnapshot,
  mcpTools: readonly McpTool[],
): ToolCall {
  const call = { id, name, arguments: args };
  const own = callableTools(agent).find((tool) => tool.name === name);
  if (own) return { ...call, kind: own.type, sideEffects: changesSomething(own) };
  const theirs = mcpTools.find((tool) => tool.name === name);
  if (theirs) return { ...call, kind: 'mcp', sideEffects: theirs.sideEffects };
  return { ...call, kind: 'unknown', sideEffects: false };
}

function changesSomething(tool: CallableTool): boolean {
  switch (tool.type) {
    case 'http':
      return tool.side_effects;
    case 'integration':
      return tool.side_effects ?? true;
    default:
      return true;
  }
}

/** The arguments as an object; undefined when the model wrote something else. */
export function parseArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function defaultDescription(tool: CallableTool): string {
  switch (tool.type) {
    case 'end_call':
      return 'End the call. Say goodbye first, in the same answer.';
    case 'transfer_call':
      return 'Transfer the caller to a human.';
    case 'send_dtmf':
      return 'Press keys on the phone, for example in a voice menu.';
    case 'http':
    case 'integration':
      return '';
  }
}

function parameters(tool: CallableTool, agent: AgentSnapshot): Readonly<Record<string, unknown>> {
  switch (tool.type) {
    case 'end_call':
      return {
        type: 'object',
        properties: { reason: { type: 'string', description: 'Why the call ends, in a few words.' } },
      };
    case 'transfer_call': {
      const names = agent.transfer_destinations.map((destination) => destination.name);
      return {
        type: 'object',
        properties: { destination: { type: 'string', ...(names.length > 0 ? { enum: names } : {}) } },
        required: ['destination'],
      };
    }
    case 'send_dtmf':
      return {
        type: 'object',
        properties: { digits: { type: 'string', pattern: '^[0-9*#A-D]{1,32}$' } },
        required: ['digits'],
      };
    case 'http':
      return tool.parameters;
    case 'integration':
      return tool.parameters ?? { type: 'object', properties: {} };
  }
}
