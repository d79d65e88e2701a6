import type { AgentSnapshot, AgentTool } from '../contracts/agent.js';
import { LONGEST_BRIEFING } from '../contracts/transfer-times.js';
import type { LlmTool } from '../language-model/conversation.js';
import type { McpTool } from './mcp/offered-tools.js';

/** A tool that the model can call by its name; an MCP server is none itself, but has some. */
export type CallableTool = Exclude<AgentTool, { type: 'mcp' }>;

export function callableTools(agent: AgentSnapshot): CallableTool[] {
  return agent.tools.filter((tool) => tool.type !== 'mcp');
}

/** Describes the tools of the agent and of its MCP servers to its model. Pure. */
export function describedTools(agent: AgentSnapshot, mcpTools: readonly McpTool[]): LlmTool[] {
  const own = callableTools(agent).map((tool) => ({
    name: tool.name,
    description: tool.description || defaultDescription(tool),
    parameters: parametersOf(tool, agent),
  }));
  const theirs = mcpTools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return [...own, ...theirs];
}

/** The longest arguments that a tool is called with, in characters: they are kept with the call. */
const LONGEST_ARGUMENTS = 64 * 1024;
/** How many objects and lists of them may lie within each other: the control plane takes 100 in all. */
const DEEPEST_ARGUMENTS = 32;

/** Parses what a model wrote as arguments to an object; undefined when it wrote something else, or too much. */
export function parseArguments(text: string): Record<string, unknown> | undefined {
  if (text.length > LONGEST_ARGUMENTS) return undefined;
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !isDeep(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns a call's arguments as a later request to a chat-completions model repeats them: some servers refuse a
 * conversation in which they are no object, and a call with such was refused when it was made.
 */
export function repeatedArguments(text: string): string {
  return text === '' || parseArguments(text) === undefined ? '{}' : text;
}

function isDeep(value: unknown, left = DEEPEST_ARGUMENTS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((member) => isDeep(member, left - 1));
}

function defaultDescription(tool: CallableTool): string {
  switch (tool.type) {
    case 'end_call':
      return 'End the call. Say goodbye first, in the same answer.';
    case 'transfer_call':
      return tool.transfer_type === 'warm'
        ? 'Transfer the caller to a human, who is rung and briefed first. It may fail: then go on with the caller.'
        : 'Transfer the caller to a human.';
    case 'transfer_to_agent':
      return [
        'Hand the caller over to another agent, who goes on with the call. Say so first, in the same answer.',
        ...tool.agents.map(({ name, description }) =>
          description === '' ? name : `${name}: ${description}`,
        ),
      ].join('\n- ');
    case 'send_dtmf':
      return 'Press keys on the phone, for example in a voice menu. Say nothing in the same answer.';
    case 'http':
    case 'integration':
      return '';
  }
}

const BRIEFING = {
  type: 'string',
  maxLength: LONGEST_BRIEFING,
  description:
    'What the human hears before the caller is connected: who calls, what about, what was agreed. One or two sentences.',
} as const;

function parametersOf(tool: CallableTool, agent: AgentSnapshot): Readonly<Record<string, unknown>> {
  switch (tool.type) {
    case 'end_call':
      return {
        type: 'object',
        properties: { reason: { type: 'string', description: 'Why the call ends, in a few words.' } },
      };
    case 'transfer_call': {
      const names = agent.transfer_destinations.map((destination) => destination.name);
      const destination = { type: 'string', ...(names.length > 0 ? { enum: names } : {}) };
      if (tool.transfer_type === 'cold') {
        return { type: 'object', properties: { destination }, required: ['destination'] };
      }
      return {
        type: 'object',
        properties: { destination, briefing: BRIEFING },
        required: ['destination', 'briefing'],
      };
    }
    case 'send_dtmf':
      return {
        type: 'object',
        properties: { digits: { type: 'string', pattern: '^[0-9*#A-D]{1,32}$' } },
        required: ['digits'],
      };
    case 'transfer_to_agent':
      return {
        type: 'object',
        properties: {
          agent: { type: 'string', enum: tool.agents.map(({ name }) => name) },
          summary: {
            type: 'string',
            description: 'What the other agent must know: who calls, what they want, what is already done.',
          },
          reason: { type: 'string', description: 'Why the caller is handed over, in a few words.' },
        },
        required: ['agent', 'summary', 'reason'],
      };
    case 'http':
      return { type: 'object', properties: {}, ...tool.parameters };
    case 'integration':
      return tool.parameters ?? { type: 'object', properties: {} };
  }
}
