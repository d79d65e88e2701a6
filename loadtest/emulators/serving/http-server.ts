import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Certificate } from './self-signed.js';

export interface RunningEmulator {
  readonly port: number;
  /** `http://127.0.0.1:PORT`; its WebSockets are at the same address. */
  readonly url: string;
  /** Drops all connections and stops. */
  close(): Promise<void>;
}

/** How long an idle connection is kept, in ms: vendors' front ends keep them for a minute or more. */
const KEEP_ALIVE_MS = 75_000;

/** The port is in use; `message` is one plain line. */
export class PortTaken extends Error {}

/** Starts a server on loopback; port 0 takes a free one. */
export async function listen(port: number): Promise<{ server: Server; running: RunningEmulator }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  const bound = await bind(server, port);
  const running: RunningEmulator = {
    port: bound,
    url: `http://127.0.0.1:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return { server, running };
}

/** Starts a server on loopback that speaks HTTP/2 over TLS, and HTTP/1.1 with clients that have no other. */
export async function listenOverTls(
  port: number,
  certificate: Certificate,
): Promise<{ server: Http2SecureServer; running: RunningEmulator }> {
  const server = createSecureServer({ ...certificate, allowHTTP1: true });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const bound = await bind(server, port);
  const running: RunningEmulator = {
    port: bound,
    url: `https://127.0.0.1:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return { server, running };
}

async function bind(server: NetServer, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new PortTaken(`port ${port} is taken; choose another by --port`)
          : error,
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Answers a WebSocket upgrade with an ordinary HTTP response, as vendors refuse one. */
export function refuseUpgrade(
  socket: Duplex,
  status: number,
  body: unknown,
  retryAfterSeconds: number | null = null,
): void {
  const text = JSON.stringify(body);
  socket.on('error', () => {});
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n` +
      'content-type: application/json\r\nconnection: close\r\n' +
      (retryAfterSeconds === null ? '' : `retry-after: ${retryAfterSeconds}\r\n`) +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

export function requestUrl(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', 'http://127.0.0.1');
}

/** A request's body is larger than the emulator takes. */
export class BodyTooLarge extends Error {}

/** Reads a request's body. Throws `BodyTooLarge` above `maxBytes`; takes any size without it. */
export async function readBody(
  request: IncomingMessage,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > maxBytes) throw new BodyTooLarge('the body is too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** JSON, or a file. */
export type PlainAnswer =
  | { readonly status: number; readonly body: unknown }
  | { readonly status: number; readonly type: string; readonly file: Buffer };

/** What a vendor answers a plain request; undefined for a path that it does not have. */
export type PlainRequests = (request: IncomingMessage) => PlainAnswer | undefined;

/**
 * Adds WebSockets to a server, and answers its plain requests: those of `plain`, all others with 404 and the vendor's
 * body. The vendor's own `upgrade` handler decides which handshakes are accepted.
 */
export function acceptWebSockets(
  server: Server,
  notFound: string,
  plain: PlainRequests = () => undefined,
): { readonly sockets: WebSocketServer; dropConnections(): void } {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('request', (request, response) => {
    const answer = plain(request);
    if (answer && 'file' in answer) {
      response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.file);
      return;
    }
    const text = answer ? JSON.stringify(answer.body) : notFound;
    response.writeHead(answer?.status ?? 404, { 'content-type': 'application/json' }).end(text);
  });
  return {
    sockets,
    dropConnections() {
      for (const client of sockets.clients) client.terminate();
    },
  };
}
