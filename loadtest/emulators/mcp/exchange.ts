import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody, type RpcId, type RpcRefusal } from './json-rpc.js';

/** What a request came to. */
export interface Reply {
  readonly result: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const MAX_BODY_BYTES = 1_000_000;

export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BODY_BYTES) throw new Error('the body is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Answers a request, as one JSON object or as a stream that ends with it; the server may choose. */
export function sendReply(response: ServerResponse, id: RpcId, reply: Reply, form: 'json' | 'sse'): void {
  const text = JSON.stringify({ jsonrpc: '2.0', id, result: reply.result });
  if (form === 'json') {
    response.writeHead(200, { 'content-type': 'application/json', ...reply.headers }).end(text);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  response.end(`event: message\ndata: ${text}\n\n`);
}

export function sendRefusal(response: ServerResponse, id: RpcId | null, refusal: RpcRefusal): void {
  response
    .writeHead(refusal.status, { 'content-type': 'application/json' })
    .end(JSON.stringify(errorBody(id, refusal)));
}

/** An answer that is none of JSON-RPC's. */
export function sendPlain(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(message);
}
