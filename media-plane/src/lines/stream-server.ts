import type { TemplatedApp, WebSocket } from 'uWebSockets.js';
import type { Log } from '@voice/shared/log/log';
import { ProtocolViolation } from './codec.js';

/** One end of a WebSocket as its line sees it. Everything is synchronous; nothing throws. */
export interface StreamSocket {
  /** Sends text or binary. What is sent after the end is dropped. */
  send(message: string | Uint8Array): void;
  /** Returns the bytes that were sent and have not left this process. */
  bufferedBytes(): number;
  /** Ends the connection with a code of RFC 6455, section 7.4.1. Idempotent. */
  end(code: number, reason: string): void;
}

/** What a line does with its socket. */
export interface StreamConnection {
  /** @throws ProtocolViolation for what the other side would never send: the connection is closed with 1008 */
  received(message: Uint8Array, isBinary: boolean): void;
  /** Called when the socket is closed, by either side. */
  closed(): void;
  /** Called when handling a message failed: the call cannot go on. */
  failed(): void;
}

export interface StreamRefusal {
  /** Such as `401 Unauthorized`. */
  readonly status: string;
  readonly reason: string;
}

/** One kind of line that comes over WebSockets. */
export interface StreamProtocol {
  readonly path: string;
  /** Larger messages end the connection, in bytes. */
  readonly maxMessageBytes: number;
  /**
   * Judges the request by its query: a refusal, or what makes the line of the socket once it is open; that may
   * still throw `ProtocolViolation`.
   */
  accept(query: URLSearchParams): StreamRefusal | ((socket: StreamSocket) => StreamConnection);
}

/** RFC 6455, section 7.4.1. */
export const CLOSE_NORMAL = 1000;
export const CLOSE_POLICY = 1008;
export const CLOSE_INTERNAL = 1011;

/** Seconds without a frame: carriers send fifty a second also in silence. */
const IDLE_TIMEOUT_SECONDS = 30;
/**
 * Where a connection is given up, in bytes. Lines stop their audio long before (`sendAudio` is false), so that
 * what must get through, a `clear` above all, never meets it.
 */
const MAX_BUFFERED_BYTES = 1024 * 1024;

interface Connection {
  readonly connect: (socket: StreamSocket) => StreamConnection;
  line: StreamConnection | undefined;
  open: boolean;
}

/** Serves every line that comes over a WebSocket: carriers' media streams and testers' connections. */
export function addStreams(app: TemplatedApp, protocol: StreamProtocol, log: Log): void {
  app.ws<Connection>(protocol.path, {
    maxPayloadLength: protocol.maxMessageBytes,
    maxBackpressure: MAX_BUFFERED_BYTES,
    closeOnBackpressureLimit: true,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPingsAutomatically: true,
    upgrade(response, request, context) {
      const accepted = protocol.accept(new URLSearchParams(request.getQuery()));
      if (typeof accepted !== 'function') {
        response.writeStatus(accepted.status).end(accepted.reason);
        return;
      }
      response.upgrade<Connection>(
        { connect: accepted, line: undefined, open: true },
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      );
    },
    open(socket) {
      const connection = socket.getUserData();
      guard(socket, () => {
        connection.line = connection.connect(streamSocket(socket));
      });
    },
    message(socket, message, isBinary) {
      const connection = socket.getUserData();
      if (!connection.open) return;
      guard(socket, () => connection.line?.received(new Uint8Array(message), isBinary));
    },
    close(socket) {
      const connection = socket.getUserData();
      connection.open = false;
      connection.line?.closed();
    },
  });

  function guard(socket: WebSocket<Connection>, action: () => void): void {
    try {
      action();
    } catch (error) {
      if (error instanceof ProtocolViolation) {
        log.warn({ path: protocol.path, reason: error.message }, 'a stream is refused');
        end(socket, CLOSE_POLICY, error.message);
        return;
      }
      log.error({ error: String(error), stack: (error as Error).stack }, 'a frame could not be handled');
      const { line } = socket.getUserData();
      if (line) line.failed();
      else end(socket, CLOSE_INTERNAL, 'the stream could not be started');
    }
  }
}

function streamSocket(socket: WebSocket<Connection>): StreamSocket {
  const connection = socket.getUserData();
  return {
    send: (message) => {
      if (connection.open) socket.send(message, typeof message !== 'string');
    },
    bufferedBytes: () => (connection.open ? socket.getBufferedAmount() : 0),
    end: (code, reason) => end(socket, code, reason),
  };
}

function end(socket: WebSocket<Connection>, code: number, reason: string): void {
  // A reason is at most 123 bytes (RFC 6455, section 5.5.1).
  if (socket.getUserData().open) socket.end(code, Buffer.from(reason).subarray(0, 120));
}
