import type { Clock, Timer } from '../../clock/clock.js';
import type { AgentTool } from '../../contracts/agent.js';
import type { AddressPolicy } from '../../egress/address-policy.js';
import { ListingCache } from './listing-cache.js';
import { type ListedTool, type McpServerConfig, type McpTool, offeredTools } from './offered-tools.js';
import { McpFailure, McpServerSession } from './server-session.js';

/** How long a server may take to list its tools, in ms, where the phone is answered before. */
export const LISTING_BUDGET_MS = 2000;
/** How long it may take while the phone rings, in ms: no phone rings longer. */
const RINGING_LIMIT_MS = 120_000;

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
  /** Resolves when every server has listed its tools or was given up. Never rejects. */
  readonly ready: Promise<void>;
  /** Begins the conversation: servers that have had their time and did not answer are given up. */
  begin(): void;
  /** Resolves with what the model gets to read; throws with a message for it when the tool failed. */
  call(tool: McpTool, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string>;
  /** Closes all sessions: the conversation is over. */
  close(): void;
}

export type OpenMcpTools = (
  agent: { readonly tools: readonly AgentTool[] },
  onNotice: (notice: McpNotice) => void,
) => AgentMcpTools;

/**
 * Asks all servers of an agent at once; one that is down leaves the agent without its tools. What a server listed
 * counts for a minute.
 */
export function createMcpTools({ policy, clock }: { policy: AddressPolicy; clock: Clock }): OpenMcpTools {
  const cache = new ListingCache(clock);
  return (agent, onNotice) => new Servers({ tools: agent.tools, policy, clock, cache, onNotice });
}

interface ServersOptions {
  readonly tools: readonly AgentTool[];
  readonly policy: AddressPolicy;
  readonly clock: Clock;
  readonly cache: ListingCache;
  readonly onNotice: (notice: McpNotice) => void;
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
  readonly #late = new AbortController();
  readonly #options: ServersOptions;
  readonly #ownNames: readonly string[];
  readonly #openedAt: number;
  #deadline: Timer;

  constructor(options: ServersOptions) {
    const { tools, policy, clock } = options;
    this.#options = options;
    this.#ownNames = tools.map(({ name }) => name);
    this.#openedAt = clock.monotonic();
    this.#deadline = clock.schedule(RINGING_LIMIT_MS, () => this.#late.abort());
    this.#servers = tools
      .filter((tool) => tool.type === 'mcp')
      .map((config) => ({ config, session: new McpServerSession(config, policy), tools: [] }));
    this.ready = Promise.all(this.#servers.map((server) => this.#list(server))).then(() => {
      this.#deadline.cancel();
    });
  }

  begin(): void {
    const { clock } = this.#options;
    this.#deadline.cancel();
    const left = this.#openedAt + LISTING_BUDGET_MS - clock.monotonic();
    if (left <= 0) this.#late.abort();
    else this.#deadline = clock.schedule(left, () => this.#late.abort());
    void this.ready.then(() => this.#deadline.cancel());
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
    this.#deadline.cancel();
    for (const { session } of this.#servers) session.close();
  }

  async #list(server: Server): Promise<void> {
    const { cache } = this.#options;
    try {
      const signal = AbortSignal.any([this.#late.signal, this.#closing.signal]);
      let listed = cache.fresh(server.config);
      if (!listed) {
        listed = await abortable(server.session.list(signal, RINGING_LIMIT_MS), signal);
        cache.keep(server.config, listed);
      }
      this.#offer(server, listed);
    } catch (error) {
      const why = this.#late.signal.aborted
        ? 'The server did not answer in time.'
        : error instanceof McpFailure
          ? error.message
          : 'The server could not be used.';
      const message = `The tools of ${server.config.name} are not available. ${why} ${this.#without(server)}`;
      this.#notify({ code: 'mcp_server_unavailable', message: message.slice(0, MAX_MESSAGE) });
      server.session.close();
    }
  }

  #offer(server: Server, listed: readonly ListedTool[]): void {
    const taken = new Set([...this.#ownNames, ...this.tools.map(({ name }) => name)]);
    const { tools, leftOut, unknown } = offeredTools(server.config, listed, taken);
    server.tools = tools;
    if (leftOut > 0) {
      const message = `${leftOut} tools of ${server.config.name} are too many or too large and were left out; allowed_tools chooses.`;
      this.#notify({ code: 'mcp_tools_left_out', message });
    }
    if (unknown.length > 0) {
      const message = `${server.config.name} has none of these tools: ${unknown.join(', ')}`;
      this.#notify({ code: 'mcp_tools_unknown', message: message.slice(0, MAX_MESSAGE) });
    }
  }

  /** Names the tools that the agent does without, as far as known: those it allows, or those the server listed last. */
  #without({ config }: Server): string {
    const names = config.allowed_tools ?? this.#options.cache.last(config)?.map(({ name }) => name);
    return names && names.length > 0
      ? `The agent does without ${names.join(', ')}.`
      : 'The agent does without all of its tools.';
  }

  #notify(notice: McpNotice): void {
    if (!this.#closing.signal.aborted) this.#options.onNotice(notice);
  }
}

/** Settles like `task`, or rejects with the signal's reason as soon as that aborts. */
function abortable<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    task.then(resolve, reject);
  });
}
