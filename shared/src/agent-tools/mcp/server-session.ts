import type {
  Client,
  JsonSchemaValidator,
  jsonSchemaValidator,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { AddressPolicy } from '../../egress/address-policy.js';
import { guardedFetch, KeptConnections } from '../../egress/guarded-fetch.js';
import type { ServiceError } from '../../errors/service-error.js';
import { boundedFetch } from './bounded-fetch.js';
import { failureText } from './failure.js';
import type { ListedTool, McpServerConfig } from './offered-tools.js';
import { NOTHING_SAID, resultText } from './result-text.js';

/** The client's name and version, as sent to servers. */
const CLIENT = { name: 'voice-agent-platform', version: '1.0.0' };
/** How long the request that ends a session may take, in ms. */
const GOODBYE_MS = 2000;

const loadSdk = () => import('@modelcontextprotocol/client');
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/**
 * Loads what sessions need, with the first of them at the latest. That takes a process 150 ms, in which it does
 * nothing else, and 25 MB: one that must not falter does it before it begins to serve.
 */
export async function loadMcpClient(): Promise<void> {
  await loadSdk();
}

/** Schemas come from outside: none is compiled here, and only the model reads what comes with them. */
const UNCHECKED: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

interface Connection {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

/** Says why a server could not be used, in its `message`, for people and models. */
export class McpFailure extends Error {}

/**
 * Runs one agent's session with one MCP server over Streamable HTTP (revision 2026-07-28, or 2025-11-25 and before for
 * servers that know no newer one). What it sends goes through the egress guard.
 */
export class McpServerSession {
  readonly #server: McpServerConfig;
  readonly #policy: AddressPolicy;
  readonly #kept = new KeptConnections();
  #connection: Promise<Connection> | undefined;
  #flood: ServiceError | undefined;
  #closed = false;

  constructor(server: McpServerConfig, policy: AddressPolicy) {
    this.#server = server;
    this.#policy = policy;
  }

  /** Lists all tools that the server has, within `limitMs`. Throws `McpFailure`. */
  async list(signal: AbortSignal, limitMs: number): Promise<readonly ListedTool[]> {
    return this.#use(signal, limitMs, async ({ client }, options) => {
      if (!client.getServerCapabilities()?.tools) return [];
      const { tools } = await client.listTools(undefined, options);
      return tools;
    });
  }

  /** Calls a tool; resolves with what the model gets to read. Throws `McpFailure`. */
  async call(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<string> {
    return this.#use(signal, this.#server.timeout_ms, async ({ client }, options) => {
      const result = await client.callTool({ name, arguments: { ...args } }, options);
      const text = resultText(result);
      if (result.isError) throw new McpFailure(text === NOTHING_SAID ? 'The tool failed.' : text);
      return text;
    });
  }

  /** Ends the session; what still runs fails. The server is notified in the background. */
  close(): void {
    this.#closed = true;
    void this.#hangUp().finally(() => this.#kept.close());
  }

  async #use<T>(
    signal: AbortSignal,
    timeout: number,
    task: (
      connection: Connection,
      options: { signal: AbortSignal; timeout: number; maxTotalTimeout: number },
    ) => Promise<T>,
  ): Promise<T> {
    const sdk = await loadSdk();
    const options = { signal, timeout, maxTotalTimeout: timeout };
    this.#flood = undefined;
    try {
      const connection = this.#connected(sdk, signal, timeout);
      return await task(await connection, options).catch(async (error: unknown) => {
        if (!sessionIsGone(sdk, error)) throw error;
        // Nothing was done: a server that forgot the session wants a new one (MCP 2025-11-25, "Session Management").
        if (this.#connection === connection) this.#connection = undefined;
        return task(await this.#connected(sdk, signal, timeout), options);
      });
    } catch (error) {
      if (error instanceof McpFailure) throw error;
      throw new McpFailure(failureText(sdk, this.#flood ?? error), { cause: error });
    }
  }

  #connected(sdk: Sdk, signal: AbortSignal, timeout: number): Promise<Connection> {
    signal.throwIfAborted();
    if (this.#closed) throw new McpFailure('The session with the server is over.');
    this.#connection ??= this.#connect(sdk, signal, timeout);
    return this.#connection;
  }

  async #connect(sdk: Sdk, signal: AbortSignal, timeout: number): Promise<Connection> {
    const { server_url, headers, secret_headers } = this.#server;
    const transport = new sdk.StreamableHTTPClientTransport(new URL(server_url), {
      requestInit: { headers: { ...lowerCased(headers), ...lowerCased(secret_headers) } },
      fetch: boundedFetch(guardedFetch(this.#policy, this.#kept), (error) => {
        this.#flood = error;
        void this.#hangUp();
      }),
    });
    const client = new sdk.Client(CLIENT, {
      versionNegotiation: { mode: 'auto' },
      jsonSchemaValidator: UNCHECKED,
    });
    const giveUp = () => void transport.close();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await client.connect(transport, { signal, timeout });
      return { client, transport };
    } catch (error) {
      this.#connection = undefined;
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Resolves when the server was notified, or could not be. */
  async #hangUp(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.then(sayGoodbye).catch(() => {});
  }
}

async function sayGoodbye({ client, transport }: Connection): Promise<void> {
  const deadline = setTimeout(() => void client.close(), GOODBYE_MS);
  // Notified or not, the session is over here.
  await transport.terminateSession().catch(() => {});
  clearTimeout(deadline);
  await client.close();
}

function sessionIsGone(sdk: Sdk, error: unknown): boolean {
  return error instanceof sdk.SdkHttpError && error.status === 404;
}

function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
