import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, type RunningEmulator, readBody, requestUrl } from '../serving/http-server.js';
import { sendPlain, sendRefusal, sendReply } from './exchange.js';
import {
  type RpcId,
  type RpcNotification,
  RpcRefusal,
  type RpcRequest,
  rpcNotification,
  rpcRequest,
} from './json-rpc.js';
import { type CalledTool, ToolMethods } from './methods.js';
import { Sessions } from './sessions.js';
import { Stateless } from './stateless.js';
import { type EmulatedTool, SHOP } from './tools.js';

const MAX_BODY_BYTES = 1_000_000;

export interface McpEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  /** Bearer token that every request must carry. */
  readonly token?: string;
  /** With sessions (2025-11-25) or without (2026-07-28). */
  readonly revision?: '2025-11-25' | '2026-07-28';
  readonly answersAs?: 'json' | 'sse';
  readonly tools?: readonly EmulatedTool[];
}

/** What goes wrong; all off by default, and changeable while it runs. */
interface McpFaults {
  /** Leaves requests of this method without any answer. */
  silentOn: string | undefined;
  /** Answers this many requests with 500 and what it was sent. */
  failNext: number;
}

export interface McpEmulator extends RunningEmulator {
  /** Where the protocol is spoken. */
  readonly serverUrl: string;
  readonly token: string;
  readonly faults: McpFaults;
  /** Methods of all messages that were not refused, in order. */
  readonly messages: readonly string[];
  /** Statuses of all refusals. */
  readonly refused: readonly number[];
  /** Calls that reached a tool, and the ids of those that were cancelled. */
  readonly calls: readonly CalledTool[];
  readonly cancelled: readonly RpcId[];
  readonly openSessions: number;
  /** How many were opened so far. */
  readonly connections: number;
  tools: readonly EmulatedTool[];
  forgetSessions(): void;
  /** Keeps requests of this method waiting until they are released. */
  hold(method: string): HeldRequests;
}

interface HeldRequests {
  /** Resolves when the first one waits. */
  readonly reached: Promise<void>;
  release(): void;
}

const PATH = '/mcp';

/** Serves MCP with tools, over Streamable HTTP on loopback, as strict as the protocol allows. */
export async function startMcpEmulator(options: McpEmulatorOptions = {}): Promise<McpEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const emulation = new Emulation(options, `${running.url}${PATH}`);
  server.on('connection', () => {
    emulation.connections += 1;
  });
  server.on('request', (request, response) => {
    emulation.serve(request, response).catch(() => response.destroy());
  });
  return Object.assign(emulation, running);
}

class Emulation {
  readonly serverUrl: string;
  readonly token: string;
  readonly faults: McpFaults = { silentOn: undefined, failNext: 0 };
  readonly messages: string[] = [];
  readonly refused: number[] = [];
  readonly cancelled: RpcId[] = [];
  connections = 0;
  #held: { method: string; reached: () => void; released: Promise<void> } | undefined;
  readonly #answersAs: 'json' | 'sse';
  readonly #methods: ToolMethods;
  readonly #sessions: Sessions;
  readonly #stateless: Stateless | undefined;

  constructor(options: McpEmulatorOptions, serverUrl: string) {
    this.serverUrl = serverUrl;
    this.token = options.token ?? 'mcp-emulator-token';
    this.#answersAs = options.answersAs ?? 'json';
    this.#methods = new ToolMethods(options.tools ?? SHOP);
    this.#sessions = new Sessions(this.#methods, (id) => this.cancelled.push(id));
    this.#stateless = options.revision === '2026-07-28' ? new Stateless(this.#methods) : undefined;
  }

  get calls(): readonly CalledTool[] {
    return this.#methods.calls;
  }

  get openSessions(): number {
    return this.#sessions.open;
  }

  get tools(): readonly EmulatedTool[] {
    return this.#methods.tools;
  }

  set tools(tools: readonly EmulatedTool[]) {
    this.#methods.tools = tools;
  }

  forgetSessions(): void {
    this.#sessions.forget();
  }

  hold(method: string): HeldRequests {
    let onReached = () => {};
    let release = () => {};
    const reached = new Promise<void>((resolve) => {
      onReached = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#held = { method, reached: onReached, released };
    return { reached, release };
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readBody(request, MAX_BODY_BYTES)).toString('utf8');
    const refuse = (status: number, message: string, headers?: Record<string, string>) => {
      this.refused.push(status);
      sendPlain(response, status, message, headers);
    };
    if (requestUrl(request).pathname !== PATH) return refuse(404, 'not found');
    if (request.headers.origin !== undefined) return refuse(403, 'no browsers');
    if (request.headers.authorization !== `Bearer ${this.token}`) {
      return refuse(401, 'no valid token', { 'www-authenticate': 'Bearer' });
    }
    switch (request.method) {
      case 'POST':
        return this.#post(request, response, body, refuse);
      case 'DELETE':
        return this.#delete(request, response, refuse);
      default:
        return refuse(405, 'POST or DELETE', { allow: 'POST, DELETE' });
    }
  }

  async #post(
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
    refuse: (status: number, message: string) => void,
  ): Promise<void> {
    const accepted = (request.headers.accept ?? '').split(',').map((type) => type.trim());
    if (!['application/json', 'text/event-stream'].every((type) => accepted.includes(type))) {
      return refuse(406, 'Accept must list application/json and text/event-stream');
    }
    if (request.headers['content-type'] !== 'application/json') return refuse(415, 'JSON only');
    if (this.faults.failNext > 0) {
      this.faults.failNext -= 1;
      return refuse(500, `I was sent ${JSON.stringify(request.headers)} and ${body}`);
    }
    let id: RpcId | null = null;
    try {
      const { message, asks } = parseMessage(body);
      if (asks) id = message.id;
      if (message.method === this.faults.silentOn) return;
      if (message.method === this.#held?.method) {
        this.#held.reached();
        await this.#held.released;
      }
      if (asks) {
        await this.#answer(message, request, response);
      } else {
        if (!this.#stateless) this.#sessions.notification(message, request.headers);
        this.messages.push(message.method);
        response.writeHead(202).end();
      }
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      this.refused.push(error.status);
      sendRefusal(response, id, error);
    }
  }

  async #answer(message: RpcRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = this.#stateless
      ? await this.#stateless.request(message, request.headers, this.#goneSignal(message.id, response))
      : await this.#sessions.request(message, request.headers);
    this.messages.push(message.method);
    sendReply(response, message.id, reply, this.#answersAs);
  }

  /** Aborts when the client has gone: without sessions by leaving; with them it may come back. */
  #goneSignal(id: RpcId, response: ServerResponse): AbortSignal {
    const gone = new AbortController();
    response.once('close', () => {
      if (response.writableEnded) return;
      this.cancelled.push(id);
      gone.abort(new Error('the client has left'));
    });
    return gone.signal;
  }

  #delete(
    request: IncomingMessage,
    response: ServerResponse,
    refuse: (status: number, message: string) => void,
  ): void {
    if (this.#stateless) {
      refuse(405, 'POST only');
      return;
    }
    try {
      this.#sessions.end(request.headers);
      response.writeHead(204).end();
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      this.refused.push(error.status);
      sendRefusal(response, null, error);
    }
  }
}

type Message =
  | { readonly asks: true; readonly message: RpcRequest }
  | { readonly asks: false; readonly message: RpcNotification };

/** Parses one message: batches are no part of the protocol since 2025-06-18. */
function parseMessage(body: string): Message {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new RpcRefusal(400, 'parseError', 'Parse error');
  }
  const request = rpcRequest.safeParse(json);
  if (request.success) return { asks: true, message: request.data };
  const notification = rpcNotification.safeParse(json);
  if (notification.success) return { asks: false, message: notification.data };
  throw new RpcRefusal(400, 'invalidRequest', 'Not a request or notification');
}
