import type { ServerResponse } from 'node:http';
import { errorBody, type RpcId, type RpcRefusal } from './json-rpc.js';

/** What a request came to. */
export interface Reply {
  readonly result: object;
  readonly headers?: Readonly<Record<string, string>>;
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

/** Sends an answer that is none of JSON-RPC's. */
export function sendPlain(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(message);
}
