import { decodeDocument, documentLength } from '../bson/decode.js';
import { type EncodableDocument, encodeDocument } from '../bson/encode.js';
import type { Doc } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';

/**
 * Framing of MongoDB's wire protocol.
 * Source: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
 */
const OP_REPLY = 1;
export const OP_QUERY = 2004;
export const OP_MSG = 2013;
export const HEADER_BYTES = 16;
/** Largest message that a client may send: maxMessageSizeBytes of `hello`. */
export const MAX_MESSAGE_BYTES = 48_000_000;

const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;
const EXHAUST_ALLOWED = 1 << 16;
const KNOWN_FLAGS = CHECKSUM_PRESENT | MORE_TO_COME | EXHAUST_ALLOWED;

/** A command as it came: its body, and documents that came beside it (OP_MSG sections of kind 1) by name. */
export interface CommandMessage {
  readonly requestId: number;
  readonly opCode: typeof OP_MSG | typeof OP_QUERY;
  readonly body: Doc;
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  /** The client wants no answer (unacknowledged write). */
  readonly silent: boolean;
  /** The database named by an OP_QUERY's collection; OP_MSG names it in `$db`. */
  readonly database?: string;
}

/** Parses one complete message. Throws ProtocolError (17) when it is malformed or of another kind. */
export function parseMessage(message: Buffer): CommandMessage {
  const requestId = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  if (opCode === OP_MSG) return parseOpMsg(message, requestId);
  if (opCode === OP_QUERY) return parseOpQuery(message, requestId);
  throw new CommandError(codes.ProtocolError, `opcode ${opCode} is not supported by the embedded store`);
}

function parseOpMsg(message: Buffer, requestId: number): CommandMessage {
  if (message.length < HEADER_BYTES + 5) throw malformed('OP_MSG is too short');
  const flags = message.readUInt32LE(16);
  if ((flags & 0xffff & ~KNOWN_FLAGS) !== 0) throw malformed(`OP_MSG has unknown flags ${flags}`);
  const end = message.length - ((flags & CHECKSUM_PRESENT) !== 0 ? 4 : 0);
  let body: Doc | undefined;
  const sequences = new Map<string, Buffer[]>();
  let at = HEADER_BYTES + 4;
  while (at < end) {
    const kind = message[at++];
    if (kind === 0) {
      if (body !== undefined) throw malformed('OP_MSG has two bodies');
      body = decodeDocument(message, at);
      at += documentLength(message, at);
    } else if (kind === 1) {
      if (at + 4 > end) throw malformed('an OP_MSG section has no length');
      const stop = at + message.readInt32LE(at);
      if (stop > end) throw malformed('an OP_MSG section reaches over the end of the message');
      const zero = message.indexOf(0, at + 4);
      if (zero < 0 || zero >= stop) throw malformed('an OP_MSG section has no name');
      const name = message.toString('utf8', at + 4, zero);
      if (sequences.has(name)) throw malformed(`OP_MSG has two sections '${name}'`);
      sequences.set(name, parseSequence(message, zero + 1, stop));
      at = stop;
    } else {
      throw malformed(`OP_MSG has a section of unknown kind ${kind}`);
    }
  }
  if (body === undefined) throw malformed('OP_MSG has no body');
  return { requestId, opCode: OP_MSG, body, sequences, silent: (flags & MORE_TO_COME) !== 0 };
}

function parseSequence(message: Buffer, from: number, stop: number): Buffer[] {
  const documents: Buffer[] = [];
  let at = from;
  while (at < stop) {
    const length = documentLength(message, at);
    documents.push(message.subarray(at, at + length));
    at += length;
  }
  if (at !== stop) throw malformed('a document reaches over the end of its OP_MSG section');
  return documents;
}

function parseOpQuery(message: Buffer, requestId: number): CommandMessage {
  const zero = message.indexOf(0, HEADER_BYTES + 4);
  if (zero < 0) throw malformed('OP_QUERY has no collection name');
  const collection = message.toString('utf8', HEADER_BYTES + 4, zero);
  if (!collection.endsWith('.$cmd')) {
    throw new CommandError(codes.CommandNotSupported, 'OP_QUERY is accepted for commands only');
  }
  const body = decodeDocument(message, zero + 9); // after numberToSkip and numberToReturn
  const database = collection.slice(0, -'.$cmd'.length);
  return { requestId, opCode: OP_QUERY, body, sequences: new Map(), silent: false, database };
}

function malformed(reason: string): CommandError {
  return new CommandError(codes.ProtocolError, reason);
}

/** Encodes the answer to a message, in the format that belongs to its opcode. */
export function encodeReply(
  request: Pick<CommandMessage, 'requestId' | 'opCode'>,
  reply: EncodableDocument,
): Buffer {
  const prefix = request.opCode === OP_MSG ? 5 : 20;
  const message = encodeDocument(reply, HEADER_BYTES + prefix);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(request.requestId, 8);
  if (request.opCode === OP_MSG) {
    message.writeInt32LE(OP_MSG, 12); // flags 0, then a section of kind 0
  } else {
    message.writeInt32LE(OP_REPLY, 12);
    message.writeInt32LE(8, 16); // AwaitCapable, as every server since 2.0 says; no cursor, starting from 0
    message.writeInt32LE(1, 32); // numberReturned
  }
  return message;
}
