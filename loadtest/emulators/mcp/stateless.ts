import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Reply } from './exchange.js';
import { RpcRefusal, type RpcRequest } from './json-rpc.js';
import type { ToolMethods } from './methods.js';

const VERSION = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

const envelope = z.looseObject({
  [VERSION_KEY]: z.string(),
  [CLIENT_KEY]: z.looseObject({ name: z.string(), version: z.string() }).optional(),
  [CAPABILITIES_KEY]: z.looseObject({}),
});

/** How long a client may cache an answer: not at all. */
const FRESH = { ttlMs: 0, cacheScope: 'private' };

/** MCP 2026-07-28: no session; every request identifies its client, and its headers repeat what its body says. */
export class Stateless {
  readonly #methods: ToolMethods;

  constructor(methods: ToolMethods) {
    this.#methods = methods;
  }

  async request(request: RpcRequest, headers: IncomingHttpHeaders, gone: AbortSignal): Promise<Reply> {
    this.#check(request, headers);
    const result = await this.#result(request, gone);
    return { result: { resultType: 'complete', ...result } };
  }

  async #result({ method, params }: RpcRequest, gone: AbortSignal): Promise<object> {
    switch (method) {
      case 'server/discover':
        return { supportedVersions: [VERSION], capabilities: { tools: {} }, ...FRESH };
      case 'tools/list':
        return { ...this.#methods.list(params), ...FRESH };
      case 'tools/call':
        return this.#methods.call(params, gone);
      default:
        throw new RpcRefusal(404, 'methodNotFound', `Method not found: ${method}`);
    }
  }

  #check({ method, params }: RpcRequest, headers: IncomingHttpHeaders): void {
    const meta = envelope.safeParse(params?._meta);
    if (!meta.success)
      throw new RpcRefusal(400, 'invalidParams', 'params._meta lacks what every request must hold');
    const version = meta.data[VERSION_KEY];
    if (version !== VERSION) {
      const data = { supported: [VERSION], requested: version };
      throw new RpcRefusal(400, 'unsupportedVersion', 'Unsupported protocol version', data);
    }
    const said = {
      'mcp-protocol-version': version,
      'mcp-method': method,
      'mcp-name': method === 'tools/call' ? params?.name : undefined,
    };
    for (const [header, expected] of Object.entries(said)) {
      if (headers[header] !== expected) {
        throw new RpcRefusal(400, 'headerMismatch', `${header} does not say what the body does`);
      }
    }
    if (headers['mcp-session-id'] !== undefined) {
      throw new RpcRefusal(400, 'headerMismatch', 'There are no sessions in this revision');
    }
  }
}
