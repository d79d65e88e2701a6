import { type CallableTool, callableTools } from '@voice/shared/agent-tools/described-tools';
import type { McpTool } from '@voice/shared/agent-tools/mcp/offered-tools';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { LlmToolCall } from '@voice/shared/language-model/conversation';
import type { ToolCall } from './turn-taking/events.js';

/** Converts the model's tool call to the reducer's, with the kind of tool and its side effects. */
export function classifyToolCall(
  { id, name, arguments: args }: LlmToolCall,
  agent: AgentSnapshot,
  mcpTools: readonly McpTool[],
): ToolCall {
  const call = { id, name, arguments: args };
  const own = callableTools(agent).find((tool) => tool.name === name);
  if (own) return { ...call, ...onSpeech(own), kind: own.type, sideEffects: changesSomething(own) };
  const theirs = mcpTools.find((tool) => tool.name === name);
  if (theirs) {
    return {
      ...call,
      ...(theirs.endsWithCallerSpeech ? ENDS : {}),
      kind: 'mcp',
      sideEffects: theirs.sideEffects,
    };
  }
  return { ...call, kind: 'unknown', sideEffects: false };
}

const ENDS = { endsWithCallerSpeech: true } as const;

function onSpeech(tool: CallableTool): typeof ENDS | undefined {
  return 'when_caller_speaks' in tool && tool.when_caller_speaks === 'cancel' ? ENDS : undefined;
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
