import type { Response } from 'express';

/** How long a client that still sends may take to read its refusal, in ms. */
const LINGER_MS = 2000;

/**
 * Answers a request without reading what is still to come of it, and closes the connection: once the client has
 * its answer and closes, or after `LINGER_MS`. Closed at once with bytes unread, the connection would be reset, and
 * the answer lost with it. Status and headers are set already.
 */
export function closeUnread(response: Response, body: Buffer): void {
  const { req: request } = response;
  response.set('Connection', 'close').set('Content-Length', String(body.length));
  request.unpipe();
  request.pause();
  // Not ended: an ended answer has what is unread read away.
  response.write(body);
  const { socket } = request;
  socket.setTimeout(LINGER_MS, () => socket.destroy());
}
