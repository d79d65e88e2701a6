import { EventEmitter } from 'node:events';
import { systemClock } from '@voice/shared/clock/clock';
import type { Random } from '../system/seeded-random.js';
import { mutateBytes, pick } from './mutate.js';
import { type FuzzTarget, load, refusing } from './target.js';
import { pieces } from './texts.js';

type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

const HEADER_BYTES = 16;
const OP_MSG = 2013;

/** Commands as drivers send them. */
const COMMANDS: readonly { [name: string]: Value }[] = [
  { hello: 1, $db: 'admin' },
  { insert: 'c', documents: [{ a: 1, b: 'x', c: [1, 2, { d: null }] }], $db: 'fuzz' },
  {
    find: 'c',
    filter: { a: { $gte: 1 }, $or: [{ b: 'x' }, { 'c.d': null }] },
    sort: { a: -1 },
    limit: 5,
    $db: 'fuzz',
  },
  {
    update: 'c',
    updates: [{ q: { a: 1 }, u: { $set: { b: 'y' }, $inc: { n: 1 } }, upsert: true }],
    $db: 'fuzz',
  },
  {
    aggregate: 'c',
    pipeline: [{ $match: { a: 1 } }, { $group: { _id: '$b', n: { $sum: 1 } } }],
    cursor: {},
    $db: 'fuzz',
  },
  { delete: 'c', deletes: [{ q: { b: 'y' }, limit: 1 }], $db: 'fuzz' },
  { findAndModify: 'c', query: { a: 1 }, update: { $push: { c: 3 } }, new: true, $db: 'fuzz' },
  { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }], $db: 'fuzz' },
  { count: 'c', query: { a: 1 }, $db: 'fuzz' },
  { getMore: 5, collection: 'c', $db: 'fuzz' },
];

/** Encodes a document as BSON: doubles, strings, booleans, null, arrays and documents. */
function bson(document: { [name: string]: Value }): Buffer {
  const parts = Object.entries(document).map(([name, value]) => {
    const key = Buffer.from(`${name}\0`);
    const element = (type: number, body: Buffer) => Buffer.concat([Buffer.from([type]), key, body]);
    if (value === null) return element(10, Buffer.alloc(0));
    if (typeof value === 'boolean') return element(8, Buffer.from([value ? 1 : 0]));
    if (typeof value === 'number') {
      const body = Buffer.alloc(4);
      body.writeInt32LE(value);
      return element(16, body);
    }
    if (typeof value === 'string') {
      const text = Buffer.from(`${value}\0`);
      const length = Buffer.alloc(4);
      length.writeInt32LE(text.length);
      return element(2, Buffer.concat([length, text]));
    }
    return element(
      Array.isArray(value) ? 4 : 3,
      bson(Array.isArray(value) ? Object.fromEntries(value.entries()) : value),
    );
  });
  const body = Buffer.concat([...parts, Buffer.from([0])]);
  const length = Buffer.alloc(4);
  length.writeInt32LE(body.length + 4);
  return Buffer.concat([length, body]);
}

function message(document: { [name: string]: Value }): Buffer {
  const body = bson(document);
  const made = Buffer.alloc(HEADER_BYTES + 5 + body.length);
  made.writeInt32LE(made.length, 0);
  made.writeInt32LE(1, 4);
  made.writeInt32LE(OP_MSG, 12);
  body.copy(made, HEADER_BYTES + 5);
  return made;
}

/** A client's socket, without a network. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  written = 0;

  setNoDelay(): void {}
  cork(): void {}
  uncork(): void {}
  write(bytes: Buffer): boolean {
    this.written += bytes.length;
    return true;
  }
  destroy(): void {
    this.destroyed = true;
    this.removeAllListeners();
  }
}

interface FuzzedStore {
  databases(): string[];
  collections(database: string): object[];
  dropCollection(collection: object): void;
}

/** A reply to a command. */
export interface Reply {
  readonly code?: unknown;
  readonly errmsg?: unknown;
  readonly [name: string]: unknown;
}

/** What of the store is fuzzed. */
export interface StoreModules {
  serveConnection(socket: unknown, answer: (message: unknown) => Reply): void;
  /** Throws a `CommandError` where the message is refused. */
  parseMessage(bytes: Buffer): unknown;
  answer(message: unknown, context: object): Reply;
  Store: new (dir: string) => FuzzedStore;
  Cursors: new (clock: unknown) => object;
}

/** The code of a reply to a command that threw what is no refusal. */
const INTERNAL_ERROR = 1;
/** Messages of one connection. */
const CONNECTION_MESSAGES = 200;
/** What a connection may hold of a message that is not whole yet: the longest message. */
const LONGEST_MESSAGE = 48_000_000;
/** Sent after a message whose announced length is not possible: the connection may not collect it. */
const FLOOD = Buffer.alloc(64_000);
const FLOODED_ONE_IN = 5000;

/** The store's connections and commands, on a store of its own in the given folder. */
export async function storeWire(dir: string): Promise<FuzzTarget> {
  const built = 'infra/dist/embedded-store';
  return fuzzedStore(dir, {
    ...(await load<Pick<StoreModules, 'serveConnection'>>(`${built}/wire/connection.js`)),
    ...(await load<Pick<StoreModules, 'parseMessage'>>(`${built}/wire/message.js`)),
    ...(await load<Pick<StoreModules, 'answer'>>(`${built}/commands/registry.js`)),
    ...(await load<Pick<StoreModules, 'Store'>>(`${built}/storage/store.js`)),
    ...(await load<Pick<StoreModules, 'Cursors'>>(`${built}/commands/cursors.js`)),
  });
}

/**
 * Lets a store read damaged messages. A command that throws is answered, and a connection that throws is ended, so that
 * neither is seen from without: a reply with an internal error, an error of the framing that is no refusal, and a
 * connection that a sound message ends are what it looks for.
 */
export function fuzzedStore(
  dir: string,
  { serveConnection, parseMessage, answer, Store, Cursors }: StoreModules,
): FuzzTarget {
  const store = new Store(dir);
  const context = {
    store,
    cursors: new Cursors(systemClock),
    clock: systemClock,
    connectionId: 1,
    address: 'fuzz',
  };
  const messages = COMMANDS.map(message);
  let socket = new FakeSocket();
  let left = 0;
  let crash: string | undefined;
  /** Remembers a crash. It is thrown where the connection does not catch it. */
  const answerAndWatch = (command: unknown): Reply => {
    const reply = answer(command, context);
    if (reply.code === INTERNAL_ERROR) crash ??= String(reply.errmsg);
    return reply;
  };
  const connect = () => {
    socket = new FakeSocket();
    left = CONNECTION_MESSAGES;
    crash = undefined;
    serveConnection(socket, answerAndWatch);
  };
  const run = (random: Random) => {
    if (socket.destroyed || left-- <= 0) connect();
    let bytes = pick(random, messages);
    if (random() < 0.8) bytes = mutateBytes(random, bytes);
    if (random() < 0.2) bytes = mutateBytes(random, bytes);
    if (bytes.length === 0) return;
    for (const piece of pieces(random, bytes)) if (!socket.destroyed) socket.emit('data', piece);
    if (crash !== undefined) {
      const message = crash;
      connect();
      throw new Error(`a command threw what is no refusal: ${message}`);
    }
    const announced = bytes.length >= 4 ? bytes.readInt32LE(0) : 0;
    if (announced >= HEADER_BYTES && announced === bytes.length) {
      let isSound = false;
      refusing(['CommandError'], () => {
        parseMessage(bytes);
        isSound = true;
      });
      if (isSound && socket.destroyed) throw new Error('a message that can be read ends its connection');
    } else {
      // Half a message in the way would make noise of what follows.
      if (random() < 1 / FLOODED_ONE_IN) flood(random);
      left = 0;
    }
  };
  /** Scans would take longer with each document that inputs have inserted. */
  const begin = () => {
    for (const collection of store.databases().flatMap((database) => store.collections(database))) {
      store.dropCollection(collection);
    }
    left = 0;
  };
  return { begin, run };

  /** A message that is longer than any may be, its length in pieces: it must not be collected. */
  function flood(random: Random): void {
    connect();
    const head = Buffer.alloc(HEADER_BYTES);
    head.writeInt32LE(pick(random, [LONGEST_MESSAGE + 1, 0x7fffffff]), 0);
    const cut = 1 + Math.floor(random() * (HEADER_BYTES - 1));
    socket.emit('data', head.subarray(0, cut));
    socket.emit('data', head.subarray(cut));
    for (let sent = 0; sent < LONGEST_MESSAGE + 1_000_000 && !socket.destroyed; sent += FLOOD.length) {
      socket.emit('data', FLOOD);
    }
    if (!socket.destroyed) throw new Error('a connection collects a message that is longer than any may be');
  }
}
