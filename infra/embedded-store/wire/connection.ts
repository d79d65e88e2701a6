import type { Socket } from 'node:net';
import type { EncodableDocument } from '../bson/encode.js';
import { CommandError, codes } from '../errors/errors.js';
import { errorReply } from './error-reply.js';
import {
  type CommandMessage,
  encodeReply,
  HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  OP_MSG,
  OP_QUERY,
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
    // What cannot be a message is refused below, and not collected.
    if (pending.length > 1 && size < messageLength(pending) && isPossible(messageLength(pending))) return;
    let input = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending, size);
    try {
      socket.cork();
      while (input.length >= HEADER_BYTES) {
        const length = input.readInt32LE(0);
        if (!isPossible(length)) throw new Error('message length out of bounds');
        if (input.length < length) break;
        respond(socket, input.subarray(0, length), answer);
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

/** Answers one message. Content that cannot be read is refused; framing that cannot be read is thrown. */
function respond(socket: Socket, bytes: Buffer, answer: Answer): void {
  let message: CommandMessage;
  try {
    message = parseMessage(bytes);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code === codes.ProtocolError) throw error;
    const opCode = bytes.readInt32LE(12) === OP_QUERY ? OP_QUERY : OP_MSG;
    socket.write(encodeReply({ requestId: bytes.readInt32LE(4), opCode }, errorReply(error)));
    return;
  }
  const reply = answer(message);
  if (!message.silent) socket.write(encodeReply(message, reply));
}

const isPossible = (length: number) => length >= HEADER_BYTES && length <= MAX_MESSAGE_BYTES;

/** Reads the length that the first pending message announces. */
function messageLength(pending: Buffer[]): number {
  const first = pending[0] as Buffer;
  return first.length >= 4 ? first.readInt32LE(0) : Buffer.concat(pending).readInt32LE(0);
}
