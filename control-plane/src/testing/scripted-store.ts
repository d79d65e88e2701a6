import { createServer, type Server, type Socket } from 'node:net';
import { mongo } from 'mongoose';

const { BSON } = mongo;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
const MORE_TO_COME = 2;
/** The longest message, as MongoDB reports it, in bytes. */
const MESSAGE_LIMIT = 48_000_000;

/** A command as it came over the wire: its name and its fields, document sequences included. */
export interface WireCommand {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A reply's fields; `hang up` closes the connection instead. Undefined takes the default, `{ ok: 1 }`. */
export type Answer = (command: WireCommand) => Readonly<Record<string, unknown>> | 'hang up' | undefined;

/**
 * The primary of a replica set of one, spoken to in MongoDB's own protocol, whose replies are a test's: for
 * what a healthy store never says, such as a write concern error beside duplicates.
 */
export class ScriptedStore {
  /** All commands but those of the driver's own monitoring. */
  readonly commands: WireCommand[] = [];
  answer: Answer = () => undefined;
  /** Replaces fields of its greeting; those that are undefined are left out. */
  greeting: Readonly<Record<string, unknown>> = {};
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<ScriptedStore> {
    const store = new ScriptedStore();
    await new Promise<void>((resolve) => store.#server.listen(0, '127.0.0.1', resolve));
    return store;
  }

  /** With a database's name, and without options. */
  get uri(): string {
    return `mongodb://${this.#host}/test`;
  }

  get #host(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the scripted store is closed');
    return `127.0.0.1:${address.port}`;
  }

  /** The commands of a name, as they came. */
  named(name: string): WireCommand['body'][] {
    return this.commands.filter((command) => command.name === name).map(({ body }) => body);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    let read = Buffer.alloc(0);
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      read = Buffer.concat([read, chunk]);
      while (read.length >= 4 && read.length >= read.readInt32LE(0)) {
        const length = read.readInt32LE(0);
        this.#reply(socket, read.subarray(0, length));
        read = read.subarray(length);
      }
    });
  }

  #reply(socket: Socket, message: Buffer): void {
    const id = message.readInt32LE(4);
    const code = message.readInt32LE(12);
    const command = code === OP_QUERY ? queryCommand(message) : messageCommand(message);
    const reply = this.#replyTo(command);
    if (reply === 'hang up') {
      socket.destroy();
    } else if (code === OP_QUERY) {
      // Flags, cursor id, first and number of the documents.
      const head = Buffer.alloc(20);
      head.writeInt32LE(1, 16);
      socket.write(framed(id, OP_REPLY, Buffer.concat([head, BSON.serialize(reply)])));
    } else if ((message.readInt32LE(HEADER_BYTES) & MORE_TO_COME) === 0) {
      socket.write(framed(id, OP_MSG, Buffer.concat([Buffer.alloc(5), BSON.serialize(reply)])));
    }
  }

  #replyTo(command: WireCommand): Readonly<Record<string, unknown>> | 'hang up' {
    if (['hello', 'ismaster', 'isMaster'].includes(command.name)) return this.#hello();
    if (command.name === 'endSessions') return { ok: 1 };
    this.commands.push(command);
    return this.answer(command) ?? { ok: 1 };
  }

  #hello(): Record<string, unknown> {
    const greeting: Record<string, unknown> = {
      ok: 1,
      helloOk: true,
      isWritablePrimary: true,
      ismaster: true,
      setName: 'scripted',
      setVersion: 1,
      hosts: [this.#host],
      primary: this.#host,
      me: this.#host,
      minWireVersion: 0,
      maxWireVersion: 21,
      maxBsonObjectSize: 16 * 1024 * 1024,
      maxMessageSizeBytes: MESSAGE_LIMIT,
      maxWriteBatchSize: 100_000,
      logicalSessionTimeoutMinutes: 30,
      ...this.greeting,
    };
    return Object.fromEntries(Object.entries(greeting).filter(([, value]) => value !== undefined));
  }
}

function framed(responseTo: number, code: number, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + body.length, 0);
  header.writeInt32LE(responseTo, 8);
  header.writeInt32LE(code, 12);
  return Buffer.concat([header, body]);
}

function documentAt(message: Buffer, at: number): { document: Record<string, unknown>; end: number } {
  const end = at + message.readInt32LE(at);
  return { document: BSON.deserialize(message.subarray(at, end)), end };
}

const named = (body: Record<string, unknown>): WireCommand => ({ name: Object.keys(body)[0] ?? '', body });

/** OP_QUERY: flags, a collection's name that ends in a zero, two numbers, the document. */
function queryCommand(message: Buffer): WireCommand {
  const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
  return named(documentAt(message, nameEnd + 9).document);
}

/** OP_MSG: flags, then sections: the body (0), or a named sequence of documents (1). */
function messageCommand(message: Buffer): WireCommand {
  let body: Record<string, unknown> = {};
  const sequences: Record<string, unknown[]> = {};
  let at = HEADER_BYTES + 4;
  while (at < message.length) {
    const kind = message.readUInt8(at++);
    if (kind === 0) {
      const { document, end } = documentAt(message, at);
      body = document;
      at = end;
      continue;
    }
    const end = at + message.readInt32LE(at);
    const nameEnd = message.indexOf(0, at + 4);
    const documents: unknown[] = [];
    const name = message.toString('utf8', at + 4, nameEnd);
    at = nameEnd + 1;
    while (at < end) {
      const next = documentAt(message, at);
      documents.push(next.document);
      at = next.end;
    }
    sequences[name] = documents;
  }
  return named({ ...body, ...sequences });
}
