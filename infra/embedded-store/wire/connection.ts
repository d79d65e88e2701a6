import type { Socket } from 'node:net';
import type { EncodableDocument } from '../bson/encode.js';
import {
  type CommandMessage,
  encodeReply,
  HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  parseMessage,
} from './message.js';

/** Answers one command; never throws: a failure is a reply too. */
export type Answer = (message: CommandMessage) => EncodableDocument;

/** Reads messages from a client's socket and writes each answer in turn. A malformed message ends it. */
export function serveConnection(socket: Socket, answer: Answer): void {
  let pending: Buffer[] = [];
  let size = 0;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    pending.push(chunk);
    size += chunk.length;
    if (size < HEADER_BYTES) return;
    if (pending.length > 1 && size < messageLength(pending)) return;
    let input = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending, size);
    try {
      socket.cork();
      while (input.length >= HEADER_BYTES) {
        const length = input.readInt32LE(0);
        if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES)
          throw new Error('message length out of bounds');
        if (input.length < length) break;
        const message = parseMessage(input.subarray(0, length));
        const reply = answer(message);
        if (!message.silent) socket.write(encodeReply(message, reply));
        input = input.subarray(length);
      }
      pending = input.length > 0 ? [input] : [];
      size = input.length;
    } catch {
      socket.destroy();
    } finally {
      socket.uncork();
    }
  });
}

/** Length that the first pending message announces. */
function messageLength(pending: Buffer[]): number {
  const first = pending[0] as Buffer;
  return first.length >= 4 ? first.readInt32LE(0) : Buffer.concat(pending).readInt32LE(0);
}
