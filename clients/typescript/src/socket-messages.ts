import { type ConnectionFailedError, jsonOf } from './errors.js';

/** What is needed of a WebSocket of `ws`, whose types are no part of the package. */
interface MessageSocket {
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown;
  terminate(): void;
}

interface Handlers<Message> {
  readonly message: (message: Message) => void;
  readonly audio?: (pcm: Buffer) => void;
  /** Something between here and the service has changed what it sent; the connection is ended. */
  readonly failed?: (error: ConnectionFailedError) => void;
}

/** Hands on what comes over a socket: text as its JSON, the rest as audio. */
export function readMessages<Message>(socket: MessageSocket, handlers: Handlers<Message>): void {
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) return handlers.audio?.(data);
    let message: Message;
    try {
      message = jsonOf(data.toString('utf8')) as Message;
    } catch (error) {
      handlers.failed?.(error as ConnectionFailedError);
      return socket.terminate();
    }
    handlers.message(message);
  });
}
