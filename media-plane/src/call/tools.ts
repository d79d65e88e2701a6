import type { AgentSnapshot, AgentTool } from '@voice/shared/contracts/agent';
import type { LlmTool, LlmToolCall } from '../providers/llm/port.js';
import type { ToolCall } from './turn-taking/events.js';

/** The agent's tools as the model is told of them. */
export function describeTools(agent: AgentSnapshot): LlmTool[] {
  return agent.tools.map((tool) => ({
    name: tool.name,
    description: tool.description || defaultDescription(tool),
    parameters: parameters(tool, agent),
  }));
}

/** What the model called, with what the reducer must know of the tool. */
export function classifyToolCall(call: LlmToolCall, agent: AgentSnapshot): ToolCall {
  const tool = agent.tools.find((candidate) => candidate.name === call.name);
  return {
    id: call.id,
    name: call.name,
    arguments: call.arguments,
    kind: tool?.type ?? 'unknown',
    sideEffects: tool !== undefined && changesSomething(tool),
  };
}

function changesSomething(tool: AgentTool): boolean {
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

function defaultDescription(tool: AgentTool): string {
  switch (tool.type) {
    case 'end_call':
      return 'End the call. Say goodbye first, in the same answer.';
    case 'transfer_call':
      return 'Transfer the caller to a human.';
    case 'send_dtmf':
      return 'Press keys on the phone, for example in a voice menu.';
    case 'http':
    case 'integration':
    case 'mcp':
      return '';
  }
}

function parameters(tool: AgentTool, agent: AgentSnapshot): Readonly<Record<string, unknown>> {
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
    case 'mcp':
      return { type: 'object', properties: {} };
  }
}
