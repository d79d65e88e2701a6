import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Reply } from './exchange.js';
import { type RpcId, type RpcNotification, RpcRefusal, type RpcRequest } from './json-rpc.js';
import { parsed, type ToolMethods } from './methods.js';

/** The revisions with sessions that this server speaks, the newest first. */
const VERSIONS = ['2025-11-25', '2025-06-18'] as const;

const initializeParams = z.looseObject({
  protocolVersion: z.string(),
  capabilities: z.looseObject({}),
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
});
const cancelledParams = z.looseObject({ requestId: z.union([z.string(), z.number().int()]) });

interface Session {
  readonly version: string;
  initialized: boolean;
  readonly used: Set<RpcId>;
  readonly running: Map<RpcId, AbortController>;
}

/** MCP 2025-11-25: a session is begun by `initialize`, and every later request names it. */
export class Sessions {
  readonly #methods: ToolMethods;
  readonly #sessions = new Map<string, Session>();
  readonly #onCancelled: (id: RpcId) => void;

  constructor(methods: ToolMethods, onCancelled: (id: RpcId) => void) {
    this.#methods = methods;
    this.#onCancelled = onCancelled;
  }

  get open(): number {
    return this.#sessions.size;
  }

  /** Forgets all sessions, as a server does that was restarted. */
  forget(): void {
    this.#sessions.clear();
  }

  async request(request: RpcRequest, headers: IncomingHttpHeaders): Promise<Reply> {
    if (request.method === 'initialize') return this.#initialize(request, headers);
    const session = this.#session(headers);
    if (session.used.has(request.id)) {
      throw new RpcRefusal(400, 'invalidRequest', 'The id was used before in this session');
    }
    session.used.add(request.id);
    if (request.method === 'ping') return { result: {} };
    if (!session.initialized) {
      throw new RpcRefusal(400, 'invalidRequest', 'Before notifications/initialized only ping is allowed');
    }
    switch (request.method) {
      case 'tools/list':
        return { result: this.#methods.list(request.params) };
      case 'tools/call': {
        const cancelled = new AbortController();
        session.running.set(request.id, cancelled);
        try {
          return { result: await this.#methods.call(request.params, cancelled.signal) };
        } finally {
          session.running.delete(request.id);
        }
      }
      default:
        throw new RpcRefusal(200, 'methodNotFound', `Method not found: ${request.method}`);
    }
  }

  notification({ method, params }: RpcNotification, headers: IncomingHttpHeaders): void {
    const session = this.#session(headers);
    switch (method) {
      case 'notifications/initialized':
        if (session.initialized) throw new RpcRefusal(400, 'invalidRequest', 'The session is initialized');
        session.initialized = true;
        break;
      case 'notifications/cancelled': {
        const { requestId } = parsed(cancelledParams, params);
        // One that is done already is no fault: the two may cross.
        session.running.get(requestId)?.abort(new Error('cancelled'));
        this.#onCancelled(requestId);
        break;
      }
    }
  }

  /** Ends the session that the request names. */
  end(headers: IncomingHttpHeaders): void {
    this.#session(headers);
    this.#sessions.delete(headers['mcp-session-id'] as string);
  }

  #initialize(request: RpcRequest, headers: IncomingHttpHeaders): Reply {
    if (headers['mcp-session-id'] !== undefined) {
      throw new RpcRefusal(400, 'invalidRequest', 'A session cannot be initialized again');
    }
    const { protocolVersion } = parsed(initializeParams, request.params);
    const version = VERSIONS.find((known) => known === protocolVersion) ?? VERSIONS[0];
    const sessionId = randomUUID();
    const used = new Set<RpcId>([request.id]);
    this.#sessions.set(sessionId, { version, initialized: false, used, running: new Map() });
    return {
      result: {
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'emulator', version: '1.0.0' },
      },
      headers: { 'mcp-session-id': sessionId },
    };
  }

  #session(headers: IncomingHttpHeaders): Session {
    const id = headers['mcp-session-id'];
    if (typeof id !== 'string') throw new RpcRefusal(400, 'invalidRequest', 'Mcp-Session-Id is required');
    const session = this.#sessions.get(id);
    if (!session) throw new RpcRefusal(404, 'sessionNotFound', 'Session not found');
    if (headers['mcp-protocol-version'] !== session.version) {
      throw new RpcRefusal(400, 'invalidRequest', `MCP-Protocol-Version must be ${session.version}`);
    }
    return session;
  }
}
