import { z } from 'zod';

/** JSON-RPC 2.0 as MCP has it: ids are strings or whole numbers and never null. */
const id = z.union([z.string(), z.number().int()]);
const params = z.record(z.string(), z.unknown()).optional();

export const rpcRequest = z.strictObject({ jsonrpc: z.literal('2.0'), id, method: z.string(), params });
export type RpcRequest = z.output<typeof rpcRequest>;
export const rpcNotification = z.strictObject({ jsonrpc: z.literal('2.0'), method: z.string(), params });
export type RpcNotification = z.output<typeof rpcNotification>;

export type RpcId = z.output<typeof id>;

/** JSON-RPC's codes, and MCP's own. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  sessionNotFound: -32001,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** A request refused; with the status of the HTTP answer that carries it. */
export class RpcRefusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly data: unknown;

  constructor(status: number, code: keyof typeof RPC_CODES, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.code = RPC_CODES[code];
    this.data = data;
  }
}

export function errorBody(requestId: RpcId | null, { code, message, data }: RpcRefusal): object {
  return {
    jsonrpc: '2.0',
    id: requestId,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  };
}
