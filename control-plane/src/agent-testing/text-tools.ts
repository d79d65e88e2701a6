import { callableTools, describedTools, parseArguments } from '@voice/shared/agent-tools/described-tools';
import type { HttpTool } from '@voice/shared/agent-tools/http-tool';
import type { AgentMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import type { ToolArguments } from '@voice/shared/agent-tools/tool-arguments';
import type { AgentSnapshot, AgentTool } from '@voice/shared/contracts/agent';
import type { ToolExecution } from '@voice/shared/contracts/call-events';
import type { IntegrationToolOutcome } from '@voice/shared/contracts/integration-tool';
import type { LlmToolCall } from '@voice/shared/language-model/conversation';

/** Runs an action with the tenant's connection. */
export type TryIntegration = (
  tool: Extract<AgentTool, { type: 'integration' }>,
  args: Readonly<Record<string, unknown>>,
) => Promise<IntegrationToolOutcome>;

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
  checks: ToolArguments,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const tool = callableTools(agent).find(({ name }) => name === call.name);
  const args = parseArguments(call.arguments);
  if (!args) return outcome('failed', 'The arguments are not a JSON object, or too long.');
  const described = describedTools(agent, mcp.tools).find(({ name }) => name === call.name);
  const refusal = described && isOutside(tool?.type) ? checks.refusal(described, args) : undefined;
  if (refusal !== undefined) return outcome('failed', refusal);
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
    case 'transfer_to_agent':
      return outcome('succeeded', 'In a text test nobody takes over; on a call the other agent would.', true);
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

/** Whether it is a tool of somebody else's: undefined is one of an MCP server. */
function isOutside(type: AgentTool['type'] | undefined): boolean {
  return type === undefined || type === 'http' || type === 'integration';
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
