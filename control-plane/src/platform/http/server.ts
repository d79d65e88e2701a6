import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import type { ListenAddress } from '@voice/shared/listen/url';

/** How long live requests may take to finish once a stop was asked for, in ms. */
export const DRAIN_LIMIT_MS = 25_000;
/** How often connections that became idle during the drain are closed, in ms. */
const SWEEP_MS = 50;
/** Longer than the idle time-out of usual load balancers (60 s), so that they, not we, close first. */
const KEEP_ALIVE_MS = 65_000;

/** Of Node 22.21 and newer; the types do not have it yet. */
interface UpgradeOptions {
  readonly shouldUpgradeCallback: (request: IncomingMessage) => boolean;
}

/** Each server's open connections. */
const connectionsOf = new WeakMap<Server, Set<Socket>>();

/** How long a request may take to come in, in ms. */
const REQUEST_LIMIT_MS = 120_000;
/** The same on the listener of workers: the recording of the longest call over the slowest link that they put up with. */
export const UPLOAD_LIMIT_MS = 15 * 60_000;

/** `everyAnswer`: the headers of what is answered before the listener is asked. */
export function createHttpServer(
  listener: RequestListener,
  everyAnswer: () => Readonly<Record<string, string>> = () => ({}),
  requestLimitMs = REQUEST_LIMIT_MS,
): Server {
  const options: ServerOptions & UpgradeOptions = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 20_000,
    requestTimeout: requestLimitMs,
    // Some clients offer HTTP/2 (`Upgrade: h2c`) with every request: those are plain requests.
    shouldUpgradeCallback: ({ headers }) =>
      headers.upgrade?.toLowerCase() === 'websocket' && server.listenerCount('upgrade') > 0,
  };
  const server: Server = createServer(options, listener);
  const connections = new Set<Socket>();
  connectionsOf.set(server, connections);
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('clientError', (error, socket) => answerUnreadable(error, socket, everyAnswer()));
  return server;
}

/** How long a client that was refused may take to close its side, in ms. */
const LINGER_MS = 2000;

/** What Node's parser could not read, by its code; everything else is a 400. */
const UNREADABLE: Readonly<Record<string, { status: string; detail: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    detail: 'The address and the headers together are over 16 KiB.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', detail: 'The request did not come in time.' },
};

/** Answers, in the shape of every error, what is no HTTP request; no route gets it. */
function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  headers: Readonly<Record<string, string>>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, detail } = UNREADABLE[error.code ?? ''] ?? {
    status: '400 Bad Request',
    detail: 'The request cannot be read.',
  };
  const requestId = newId();
  const body = JSON.stringify({ detail, code: 'malformed_request', request_id: requestId });
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  if (socket instanceof Socket) socket.setTimeout(LINGER_MS, () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\n${lines}Connection: close\r\n\r\n${body}`,
  );
}

/** Resolves with the port that was taken; rejects with the system's error (EADDRINUSE, EACCES, EADDRNOTAVAIL). */
export function listen(server: Server, { host, port }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Accepts nothing more, lets live requests finish for at most `DRAIN_LIMIT_MS`, then cuts them. */
export function drain(server: Server, clock: Clock): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    let sweep = clock.schedule(0, function close() {
      server.closeIdleConnections();
      sweep = clock.schedule(SWEEP_MS, () => {
        closeUnused(server);
        close();
      });
    });
    const limit = clock.schedule(DRAIN_LIMIT_MS, () => server.closeAllConnections());
    server.close(() => {
      sweep.cancel();
      limit.cancel();
      resolve();
    });
  });
}

/** Browsers and pools of clients open connections ahead of requests: Node takes them for live ones. */
function closeUnused(server: Server): void {
  for (const socket of connectionsOf.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}
