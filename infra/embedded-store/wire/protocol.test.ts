import { connect, type Socket } from 'node:net';
import { Double, Int32, Long } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeDocument } from '../bson/decode.js';
import { type EncodableDocument, encodeDocument } from '../bson/encode.js';
import { type Doc, Double as StoredDouble, type Int32 as StoredInt32 } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import { errorOf, openStore, type StoreFixture } from '../testing/store-fixture.js';
import { OP_MSG, OP_QUERY, parseMessage } from './message.js';

let store: StoreFixture;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

function frame(opCode: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + body.length, 0);
  header.writeInt32LE(7, 4);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
}

function opMsg(document: EncodableDocument, flags = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32LE(flags, 0);
  return frame(OP_MSG, prefix, encodeDocument(document));
}

function opQuery(collection: string, document: EncodableDocument): Buffer {
  const skipAndCount = Buffer.alloc(8);
  skipAndCount.writeInt32LE(-1, 4);
  return frame(
    OP_QUERY,
    Buffer.alloc(4),
    Buffer.from(`${collection}\0`),
    skipAndCount,
    encodeDocument(document),
  );
}

/** Sends bytes in the given pieces and gives the first whole reply, or undefined when the server hangs up. */
async function exchange(...pieces: Buffer[]): Promise<Buffer | undefined> {
  const socket: Socket = connect(store.store.port, '127.0.0.1');
  const received: Buffer[] = [];
  const reply = new Promise<Buffer | undefined>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      const all = Buffer.concat(received);
      if (all.length >= 4 && all.length >= all.readInt32LE(0)) resolve(all);
    });
    socket.on('close', () => resolve(undefined));
    socket.on('error', () => resolve(undefined));
  });
  socket.setNoDelay(true);
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const result = await reply;
  socket.destroy();
  return result;
}

const number = (doc: Doc, name: string) => (doc.get(name) as StoredInt32 | undefined)?.value;

describe('the handshake', () => {
  test('OP_QUERY isMaster is answered by OP_REPLY as a standalone', async () => {
    const reply = await exchange(opQuery('admin.$cmd', { ismaster: 1, helloOk: true }));
    expect(reply?.readInt32LE(8)).toBe(7); // responseTo
    expect(reply?.readInt32LE(12)).toBe(1); // OP_REPLY
    const doc = decodeDocument(reply as Buffer, 36);
    expect(doc.get('ismaster')).toBe(true);
    expect(doc.get('helloOk')).toBe(true);
    expect(number(doc, 'maxWireVersion')).toBe(21);
    expect(doc.has('topologyVersion')).toBe(false);
    expect(doc.has('setName')).toBe(false);
  });
  test('a message in pieces is put together', async () => {
    const message = opMsg({ ping: 1, $db: 'admin' });
    const reply = await exchange(message.subarray(0, 3), message.subarray(3, 20), message.subarray(20));
    expect(number(decodeDocument(reply as Buffer, 21), 'ok')).toBe(1);
  });
  test('buildInfo and connectionStatus answer', async () => {
    expect(await store.db.admin().buildInfo()).toMatchObject({ ok: 1, version: '7.0.0' });
    expect(await store.db.command({ connectionStatus: 1 })).toMatchObject({ ok: 1 });
  });
});

describe('malformed messages end the connection', () => {
  test.each<[string, Buffer]>([
    ['a length below the header', Buffer.from([8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0])],
    ['a length beyond the limit', Buffer.from([0, 0, 0, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0])],
    ['an unknown opcode', frame(2012, Buffer.alloc(9))],
    ['an unknown flag', opMsg({ ping: 1, $db: 'x' }, 4)],
  ])('%s', async (_name, bytes) => {
    expect(await exchange(bytes)).toBeUndefined();
  });
});

describe('content that cannot be read is refused, and the connection stays', () => {
  const symbol = Buffer.from('\x15\0\0\0\x0ea\0\x03\0\0\0hi\0\0', 'latin1');
  symbol.writeInt32LE(symbol.length, 0);
  test.each<[string, Buffer, number, number]>([
    ['a document that is cut off', frame(OP_MSG, Buffer.alloc(5), Buffer.from([99, 0, 0, 0, 0])), 21, 22],
    ['the deprecated type Symbol', frame(OP_MSG, Buffer.alloc(5), symbol), 21, 22],
    ['OP_QUERY on a collection', opQuery('test.things', {}), 36, 115],
  ])('%s', async (_name, bytes, offset, code) => {
    const reply = await exchange(bytes);
    expect(number(decodeDocument(reply as Buffer, offset), 'code')).toBe(code);
  });
  test('a document that names a field twice', async () => {
    const twice = Buffer.concat([
      Buffer.from([0, 0, 0, 0]),
      ...[1, 2].map((n) => Buffer.from([0x10, 0x61, 0, n, 0, 0, 0])),
      Buffer.of(0),
    ]);
    twice.writeInt32LE(twice.length, 0);
    expect(() => decodeDocument(twice)).toThrow(/names a field twice/);
  });
});

describe('what the store does not do is refused with its code', () => {
  test.each<[object, number, RegExp]>([
    [{ nonsense: 1 }, 59, /no such command: 'nonsense'/],
    [{ mapReduce: 'x' }, 59, /mapReduce/],
    [{ find: 'x', foo: 1 }, 40415, /BSON field 'find.foo' is an unknown field/],
    [{ find: 'x', collation: { locale: 'de' } }, 115, /'collation' of find/],
    [{ find: 'x', tailable: true }, 115, /'tailable' of find/],
    [{ find: 'x', filter: 1 }, 14, /wrong type 'int', expected type 'object'/],
    [{ find: 1 }, 14, /wrong type 'int', expected type 'string'/],
    [{ aggregate: 'x', pipeline: [] }, 9, /'cursor' option is required/],
    [{ create: 'x', capped: true, size: 1 }, 115, /'capped' of create/],
    [{ insert: 'x', documents: [] }, 16, /batch sizes must be between/],
    [{ find: 'x', startTransaction: true, autocommit: false }, 263, /transaction/],
    [{ find: 'a$b', txnNumber: 1 }, 263, /txnNumber/],
    [{ dropIndexes: 'nothere', index: 'x' }, 26, /ns does not exist/],
    [{ create: 'sys.$x' }, 73, /Invalid collection name/],
    [{ explain: { insert: 'x' } }, 115, /explain of insert/],
  ])('%j', async (command, code, message) => {
    const error = await errorOf(store.db.command(command as never));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
  test('a transaction through the driver', async () => {
    const session = store.client.startSession();
    session.startTransaction();
    const error = await errorOf(store.db.collection('x').insertOne({ a: 1 }, { session }));
    expect(error.code).toBe(263);
    await session.abortTransaction().catch(() => undefined);
    await session.endSession();
  });
  test('a change stream', async () => {
    const stream = store.db.collection('x').watch();
    await expect(stream.next()).rejects.toMatchObject({ code: 40324 });
    await stream.close();
  });
  test('a time limit that passes', async () => {
    const collection = await store.filled(
      ...Array.from({ length: 5000 }, (_, n) => ({ n, text: 'x'.repeat(200) })),
    );
    const slow = collection.find({ $expr: { $eq: [{ $range: [0, 2000] }, 1] } }, { maxTimeMS: 5 });
    expect((await errorOf(slow.toArray())).code).toBe(50);
  });
});

describe('cursors', () => {
  test('batches, until all is read', async () => {
    const collection = await store.filled(...Array.from({ length: 250 }, (_, n) => ({ n })));
    expect(await collection.find().batchSize(7).toArray()).toHaveLength(250);
    expect(await collection.find().sort({ n: -1 }).skip(100).limit(120).batchSize(50).toArray()).toHaveLength(
      120,
    );
    expect(await collection.aggregate([{ $match: {} }], { batchSize: 10 }).toArray()).toHaveLength(250);
  });
  test('other writes between batches do not disturb a cursor', async () => {
    const collection = await store.filled(...Array.from({ length: 100 }, (_, n) => ({ n })));
    const cursor = collection.find({ n: { $gte: 0 } }).batchSize(10);
    const seen: number[] = [];
    for await (const { n } of cursor) {
      seen.push(n);
      if (n === 5) await collection.deleteMany({ n: { $gte: 50 } });
    }
    expect(seen.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, n) => n));
    expect(seen.length).toBeLessThan(100);
  });
  test('a new document is not read in the place of one that was removed', async () => {
    const others = Array.from({ length: 30 }, (_, n) => n).filter((n) => n !== 5);
    // 5 comes last, so that its row is the one whose id is free again.
    const collection = await store.filled(...others.map((n) => ({ n })), { n: 5 });
    await collection.createIndex({ n: 1 });
    const seen: number[] = [];
    for await (const { n } of collection.find().sort({ n: 1 }).batchSize(2)) {
      seen.push(n);
      if (n !== 0) continue;
      await collection.deleteOne({ n: 5 });
      await collection.insertOne({ n: 100 });
    }
    expect(seen).toEqual([...others, 100]);
  });
  test('getMore of an unknown cursor, and on another collection', async () => {
    expect((await errorOf(store.db.command({ getMore: 5n as never, collection: 'x' }))).code).toBe(43);
  });
  test('a killed cursor is gone', async () => {
    const collection = await store.filled(...Array.from({ length: 50 }, (_, n) => ({ n })));
    const { cursor } = await store.db.command({ find: collection.collectionName, batchSize: 5 });
    const killed = await store.db.command({ killCursors: collection.collectionName, cursors: [cursor.id] });
    expect(killed.cursorsKilled).toHaveLength(1);
    expect(
      (await errorOf(store.db.command({ getMore: cursor.id, collection: collection.collectionName }))).code,
    ).toBe(43);
  });
});

describe('databases and collections', () => {
  test('list, drop, and read what is not there', async () => {
    const db = store.client.db('other');
    await db.createCollection('empty');
    await db.collection('full').insertOne({ a: 1 });
    expect((await db.listCollections().toArray()).map(({ name }) => name).sort()).toEqual(['empty', 'full']);
    expect((await store.client.db().admin().listDatabases()).databases.map(({ name }) => name)).toContain(
      'other',
    );
    expect((await errorOf(db.createCollection('full'))).code).toBe(48);
    expect(await db.collection('full').drop()).toBe(true);
    expect(await db.collection('nothere').find().toArray()).toEqual([]);
    expect(await db.collection('nothere').countDocuments()).toBe(0);
    expect(await db.dropDatabase()).toBe(true);
    expect(await db.listCollections().toArray()).toEqual([]);
  });
  test('distinct gives elements of arrays once, in order', async () => {
    const collection = await store.filled({ a: [2, 1] }, { a: 1 }, { a: 'x' }, { b: 1 }, { a: [] });
    expect(await collection.distinct('a')).toEqual([1, 2, 'x']);
    expect(await collection.distinct('a', { a: 'x' })).toEqual(['x']);
  });
  test('distinct gives the first of equal numbers of different types', async () => {
    const collection = await store.filled(
      { a: new Int32(1) },
      { a: new Double(1) },
      { a: Long.fromNumber(1) },
    );
    const [value, ...others] = await collection.distinct('a', {}, { promoteValues: false });
    expect(others).toEqual([]);
    expect(value).toBeInstanceOf(Int32);
  });
  test('an _id of null is kept, wherever it stands in the document', async () => {
    const collection = await store.filled();
    await collection.insertOne({ a: 1, _id: null as never }, { forceServerObjectId: true });
    expect(await collection.find({}).toArray()).toEqual([{ _id: null, a: 1 }]);
    expect(
      (await errorOf(collection.insertOne({ _id: null as never }, { forceServerObjectId: true }))).code,
    ).toBe(11000);
    const other = await store.filled();
    await other.updateOne({ _id: null as never }, { $set: { a: 2 } }, { upsert: true });
    expect(await other.find({}).toArray()).toEqual([{ _id: null, a: 2 }]);
  });
  test('a reference with collection and id is a value to be equal to', async () => {
    const collection = await store.filled(
      { _id: 1 as never, ref: { $ref: 'x', $id: 7 } },
      { _id: 2 as never },
    );
    const filter = { ref: { $ref: 'x', $id: 7 } };
    expect(await collection.countDocuments(filter)).toBe(1);
  });
  test.each([
    ['findAndModify', { findAndModify: 'c', query: {}, update: { $set: { a: 1 } } }],
    ['findAndModify with remove', { findAndModify: 'c', query: {}, remove: true }],
    ['update', { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }] }],
    ['delete', { delete: 'c', deletes: [{ q: {}, limit: 1 }] }],
    ['find', { find: 'c', filter: {} }],
    ['aggregate', { aggregate: 'c', pipeline: [], cursor: {} }],
  ])('let of %s is refused by name', async (_name, command) => {
    const error = await errorOf(store.db.command({ ...command, let: { x: 1 } }));
    expect([error.code, error.message]).toEqual([115, expect.stringMatching(/'let'/)]);
  });
  test.each([
    ['a command that succeeds', { ping: 1, $db: 'test' }, 1],
    ['a command that fails', { nothing: 1, $db: 'test' }, 0],
  ])('ok of %s is a double, as MongoDB writes it', async (_name, command, ok) => {
    const reply = decodeDocument((await exchange(opMsg(command))) as Buffer, 21);
    expect(reply.get('ok')).toStrictEqual(new StoredDouble(ok));
  });
  test('field names that look like numbers or prototypes keep their place', async () => {
    const collection = await store.filled();
    await collection.insertOne({ b: 1, 2: 'two', 1: 'one', constructor: 1 });
    const raw = (await collection.find({}, { raw: true }).toArray())[0] as unknown as Buffer;
    expect([...decodeDocument(Buffer.from(raw)).keys()].slice(1)).toHaveLength(4);
    expect(await collection.countDocuments({ constructor: 1, 2: 'two' })).toBe(1);
  });
});

test.each([0, 1, 2, 3])(
  'a section whose length is cut off after %i bytes is malformed, and no fault of the reader',
  (bytes) => {
    const body = Buffer.concat([
      Buffer.alloc(5),
      encodeDocument({ ping: 1 }),
      Buffer.from([1]),
      Buffer.alloc(bytes),
    ]);
    const refusal = expect(() => parseMessage(frame(OP_MSG, body)));
    refusal.toThrow(CommandError);
    refusal.toThrow(expect.objectContaining({ code: codes.ProtocolError }));
  },
);
