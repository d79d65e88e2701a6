import type { Clock } from '../../clock/clock.js';
import type { AgentTool } from '../../contracts/agent.js';
import type { AddressPolicy } from '../../egress/address-policy.js';
import { type McpServerConfig, type McpTool, offeredTools } from './offered-tools.js';
import { McpFailure, McpServerSession } from './server-session.js';

/** How long a server may take to tell what tools it has, in ms. */
export const LISTING_BUDGET_MS = 2000;

/** A notice is a line of a call's timeline, in characters. */
const MAX_MESSAGE = 500;

/** What a conversation's timeline should know of its agent's servers. */
export interface McpNotice {
  readonly code: 'mcp_server_unavailable' | 'mcp_tools_left_out' | 'mcp_tools_unknown';
  readonly message: string;
}

/** The tools that an agent's MCP servers give to one conversation. */
export interface AgentMcpTools {
  /** Of the servers that have answered so far. */
  readonly tools: readonly McpTool[];
  /** Every server has told its tools or was given up. Never rejects. */
  readonly ready: Promise<void>;
  /** Resolves with what the model gets to read; throws with a message for it when the tool failed. */
  call(tool: McpTool, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string>;
  /** The conversation is over. */
  close(): void;
}

export type OpenMcpTools = (
  agent: { readonly tools: readonly AgentTool[] },
  onNotice: (notice: McpNotice) => void,
) => AgentMcpTools;

/** Asks all servers of an agent at once; one that is down leaves the agent without its tools. */
export function createMcpTools(options: { policy: AddressPolicy; clock: Clock }): OpenMcpTools {
  return (agent, onNotice) => new Servers(agent.tools, options, onNotice);
}

interface Server {
  readonly config: McpServerConfig;
  readonly session: McpServerSession;
  tools: readonly McpTool[];
}

class Servers implements AgentMcpTools {
  readonly ready: Promise<void>;
  readonly #servers: readonly Server[];
  readonly #closing = new AbortController();
  readonly #clock: Clock;
  readonly #onNotice: (notice: McpNotice) => void;
  readonly #ownNames: readonly string[];

  constructor(
    tools: readonly AgentTool[],
    { policy, clock }: { policy: AddressPolicy; clock: Clock },
    onNotice: (notice: McpNotice) => void,
  ) {
    this.#clock = clock;
    this.#onNotice = onNotice;
    this.#ownNames = tools.map(({ name }) => name);
    this.#servers = tools
      .filter((tool) => tool.type === 'mcp')
      .map((config) => ({ config, session: new McpServerSession(config, policy), tools: [] }));
    this.ready = Promise.all(this.#servers.map((server) => this.#list(server))).then(() => {});
  }

  get tools(): readonly McpTool[] {
    return this.#servers.flatMap((server) => server.tools);
  }

  call(tool: McpTool, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string> {
    const server = this.#servers.find(({ tools }) => tools.includes(tool));
    if (!server) return Promise.reject(new McpFailure(`There is no tool named ${tool.name}.`));
    return server.session.call(tool.remoteName, args, signal);
  }

  close(): void {
    this.#closing.abort();
    for (const { session } of this.#servers) session.close();
  }

  async #list(server: Server): Promise<void> {
    const late = new AbortController();
    const budget = this.#clock.schedule(LISTING_BUDGET_MS, () => late.abort());
    try {
      const signal = AbortSignal.any([late.signal, this.#closing.signal]);
      const listed = await abortable(server.session.list(signal), signal);
      const taken = new Set([...this.#ownNames, ...this.tools.map(({ name }) => name)]);
      const { tools, leftOut, unknown } = offeredTools(server.config, listed, taken);
      server.tools = tools;
      if (leftOut > 0) {
        const message = `${leftOut} tools of ${server.config.name} are too many or too large and were left out; allowed_tools chooses.`;
        this.#tell({ code: 'mcp_tools_left_out', message });
      }
      if (unknown.length > 0) {
        const message = `${server.config.name} has none of these tools: ${unknown.join(', ')}`.slice(
          0,
          MAX_MESSAGE,
        );
        this.#tell({ code: 'mcp_tools_unknown', message });
      }
    } catch (error) {
      const why = late.signal.aborted
        ? 'The server did not answer in time.'
        : error instanceof McpFailure
          ? error.message
          : 'The server could not be used.';
      const message = `The tools of ${server.config.name} are not available. ${why}`;
      this.#tell({ code: 'mcp_server_unavailable', message });
      server.session.close();
    } finally {
      budget.cancel();
    }
  }

  #tell(notice: McpNotice): void {
    if (!this.#closing.signal.aborted) this.#onNotice(notice);
  }
}

/** `task`, or the signal's reason as soon as that aborts. */
function abortable<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    task.then(resolve, reject);
  });
}
