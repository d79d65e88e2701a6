import { createHash } from 'node:crypto';
import { type AgentTool, MCP_TOOLS_PER_SERVER } from '../../contracts/agent.js';
import type { LlmTool } from '../../language-model/conversation.js';

/** An MCP server as an agent is configured with it. */
export type McpServerConfig = Extract<AgentTool, { type: 'mcp' }>;

/** A tool as a server's `tools/list` describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
}

/** A server's tool as the model gets it. */
export interface McpTool extends LlmTool {
  /** The tool's name at its server. */
  readonly remoteName: string;
  /** Whether calling it may change something; a speculative turn never runs such a tool. */
  readonly sideEffects: boolean;
  readonly timeoutMs: number;
  /** Whether it is given up when the caller speaks. */
  readonly endsWithCallerSpeech?: boolean;
}

export interface Offer {
  readonly tools: readonly McpTool[];
  /** How many tools were too many or too large. */
  readonly leftOut: number;
  /** What the agent allows and the server does not have. */
  readonly unknown: readonly string[];
}

/** OpenAI's limits for functions: `^[a-zA-Z0-9_-]{1,64}$`, and 1024 characters of description. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;
/** A schema is sent with every request to the model, in characters of JSON. */
const MAX_SCHEMA = 16 * 1024;
const HASH_LENGTH = 8;
/** What is left of a name that is too long or taken, before the hash. */
const CUT_NAME = MAX_NAME - HASH_LENGTH - 1;

/**
 * Chooses the tools that the agent gets of a server. Pure.
 * @param taken names that the agent's other tools have
 */
export function offeredTools(
  server: McpServerConfig,
  listed: readonly ListedTool[],
  taken: ReadonlySet<string>,
): Offer {
  const allowed = listed.filter(({ name }) => server.allowed_tools?.includes(name) ?? true);
  const names = new Set(taken);
  const tools: McpTool[] = [];
  for (const tool of allowed) {
    if (tools.length === MCP_TOOLS_PER_SERVER) break;
    if (JSON.stringify(tool.inputSchema).length > MAX_SCHEMA) continue;
    const name = modelName(server.name, tool.name, names);
    names.add(name);
    const { $schema: _, ...schema } = tool.inputSchema;
    tools.push({
      name,
      remoteName: tool.name,
      description: (tool.description || server.description).slice(0, MAX_DESCRIPTION),
      parameters: { properties: {}, ...schema, type: 'object' },
      sideEffects: tool.annotations?.readOnlyHint !== true,
      timeoutMs: server.timeout_ms,
      ...(server.when_caller_speaks === 'cancel' ? { endsWithCallerSpeech: true } : {}),
    });
  }
  const unknown = (server.allowed_tools ?? []).filter((name) => !listed.some((tool) => tool.name === name));
  return { tools, leftOut: allowed.length - tools.length, unknown };
}

/** Names a tool `server_tool`, in the characters and length that models take, and not `taken`; the same each time. */
function modelName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${server}_${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`;
  if (plain.length <= MAX_NAME && !taken.has(plain)) return plain;
  const hash = createHash('sha256').update(`${server}/${tool}`).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, CUT_NAME)}_${hash}`;
}

/** Returns whether a tool that is offered to the model by this name is the server's. Pure. */
export function isNamedAfter(server: string, offeredName: string): boolean {
  return [server, server.slice(0, CUT_NAME)].some((start) => offeredName.startsWith(`${start}_`));
}
