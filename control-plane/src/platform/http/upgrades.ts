import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { type WebSocket, WebSocketServer } from 'ws';
import { apiError } from './error-codes.js';

/** What a request that asks for a WebSocket has besides itself. */
interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();
/** Headers of the answer for a request whose connection becomes a WebSocket. */
const answerHeaders = new WeakMap<IncomingMessage, readonly string[]>();

/** What clients send on WebSockets of this API is small: they listen. In bytes. */
const MAX_MESSAGE_BYTES = 4096;

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
});
server.on('headers', (headers, request) => headers.push(...(answerHeaders.get(request) ?? [])));

/**
 * Lets requests for a WebSocket go through the same application as all others: credentials, limits, validation and
 * refusals are those of every route. Only where its handler answers with `upgraded` does it become one.
 */
export function serveUpgrades(http: Server, app: RequestListener): void {
  http.on('upgrade', (request: IncomingMessage, stream, head: Buffer) => {
    const socket = stream as Socket;
    // The handler that serves it in the end has its own; without one a client that resets would end the process.
    socket.on('error', () => socket.destroy());
    upgrades.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => {
      response.detachSocket(socket);
      socket.end();
    });
    app(request, response);
  });
}

/** Makes the request's connection a WebSocket. Throws 426 `upgrade_required` where that was not asked for. */
export function acceptUpgrade(
  request: Request,
  response: Response,
  accept: (socket: WebSocket) => void,
): void {
  const upgrade = upgrades.get(request);
  if (!upgrade) {
    response.set({ Upgrade: 'websocket', Connection: 'Upgrade' });
    throw apiError('upgrade_required');
  }
  const { socket, head } = upgrade;
  upgrades.delete(request);
  answerHeaders.set(
    request,
    Object.entries(response.getHeaders()).map(([name, value]) => `${name}: ${String(value)}`),
  );
  response.statusCode = 101;
  response.detachSocket(socket);
  // The request is over, for the log and the metrics, when the connection is.
  socket.once('close', () => response.emit('close'));
  server.handleUpgrade(request, socket, head, accept);
}
