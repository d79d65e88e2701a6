import { Decimal128, type Document, Double, Int32, Long } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, openStore, type StoreFixture } from '../testing/store-fixture.js';
import { Updates } from '../testing/updates.js';

let store: StoreFixture;
let updates: Updates;
beforeAll(async () => {
  store = await openStore();
  updates = new Updates(store);
});
afterAll(() => store.close());

describe('field operators', () => {
  test.each<[string, Document, Document, Document]>([
    ['$set creates parents', { a: 1 }, { $set: { 'b.c': 2 } }, { a: 1, b: { c: 2 } }],
    ['$set by position', { a: [1, 2] }, { $set: { 'a.1': 9 } }, { a: [1, 9] }],
    ['$set beyond the end fills with null', { a: [1] }, { $set: { 'a.3': 9 } }, { a: [1, null, null, 9] }],
    ['new fields come in the order of their names', {}, { $set: { b: 1, a: 2 } }, { a: 2, b: 1 }],
    ['$unset', { a: 1, b: { c: 1, d: 2 } }, { $unset: { a: '', 'b.c': '', x: '' } }, { b: { d: 2 } }],
    ['$unset leaves null in an array', { a: [1, 2] }, { $unset: { 'a.0': '' } }, { a: [null, 2] }],
    ['$inc', { a: 1 }, { $inc: { a: 2, b: 3 } }, { a: 3, b: 3 }],
    ['$mul of a missing field gives zero', { a: 3 }, { $mul: { a: 2, b: 3 } }, { a: 6, b: 0 }],
    ['$min', { a: 5, b: 5 }, { $min: { a: 3, b: 9, c: 1 } }, { a: 3, b: 5, c: 1 }],
    [
      '$max compares across types in BSON order',
      { a: 5, b: 5 },
      { $max: { a: 'x', b: 3 } },
      { a: 'x', b: 5 },
    ],
    ['$rename', { a: 1, b: 2 }, { $rename: { a: 'c.d', x: 'y' } }, { b: 2, c: { d: 1 } }],
    ['$rename writes over', { a: 1, b: 2 }, { $rename: { a: 'b' } }, { b: 1 }],
    [
      '$setOnInsert does nothing on an update',
      { a: 1 },
      { $set: { a: 2 }, $setOnInsert: { b: 1 } },
      { a: 2 },
    ],
    [
      '$bit',
      { a: 13, b: 1 },
      { $bit: { a: { and: 10 }, b: { or: 6 }, c: { xor: 5 } } },
      { a: 8, b: 7, c: 5 },
    ],
  ])('%s', async (_name, before, update, after) => {
    const result = await updates.updated(before, update);
    expect(result).toEqual(after);
    expect(JSON.stringify(result)).toBe(JSON.stringify(after));
  });

  test('$inc keeps and widens types as MongoDB does', async () => {
    const collection = await store.filled({
      i: new Int32(2147483647),
      l: Long.fromNumber(1),
      d: 1,
      m: Decimal128.fromString('0.10'),
    });
    await collection.updateOne({}, { $inc: { i: 1, l: 1, d: 0.5, m: Decimal128.fromString('0.20') } });
    const after = (await collection.findOne({}, { promoteValues: false })) as Document;
    expect(after.i).toEqual(Long.fromString('2147483648'));
    expect(after.l).toEqual(Long.fromNumber(2));
    expect(after.d).toEqual(new Double(1.5));
    expect(after.m.toString()).toBe('0.30');
  });

  test('$currentDate', async () => {
    const after = await updates.updated({}, { $currentDate: { a: true, b: { $type: 'timestamp' } } });
    expect(Math.abs(after.a.getTime() - Date.now())).toBeLessThan(5000);
    expect(after.b._bsontype).toBe('Timestamp');
  });

  test.each<[string, Document, Document, number, RegExp]>([
    [
      '$inc of a string',
      { a: 'x' },
      { $inc: { a: 1 } },
      14,
      /Cannot apply \$inc to a value of non-numeric type.*'a'.*string/,
    ],
    ['$inc by a string', { a: 1 }, { $inc: { a: 'x' } }, 14, /Cannot increment with non-numeric argument/],
    ['$inc of null', { a: null }, { $inc: { a: 1 } }, 14, /non-numeric type null/],
    ['$mul of null', { a: null }, { $mul: { a: 1 } }, 14, /non-numeric type null/],
    ['$inc over 64 bits', { a: Long.MAX_VALUE }, { $inc: { a: 1 } }, 2, /Failed to apply \$inc/],
    [
      '$set under a scalar',
      { a: 1 },
      { $set: { 'a.b': 1 } },
      28,
      /Cannot create field 'b' in element \{a: 1\}/,
    ],
    ['$set of a name in an array', { a: [1] }, { $set: { 'a.b': 1 } }, 28, /Cannot create field 'b'/],
    ['$set of _id', {}, { $set: { _id: 2 } }, 66, /immutable field '_id'/],
    ['two operators on one path', {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40, /conflict at 'a'/],
    ['a path and its parent', {}, { $set: { a: 1, 'a.b': 1 } }, 40, /conflict at 'a'/],
    ['an unknown operator', {}, { $foo: { a: 1 } }, 9, /Unknown modifier: \$foo/],
    ['$rename to itself', { a: 1 }, { $rename: { a: 'a' } }, 2, /must differ/],
    [
      '$rename of a field under a scalar',
      { a: 1 },
      { $rename: { 'a.b': 'c' } },
      28,
      /Cannot use the part \(b\) of \(a\.b\) to traverse the element \(\{a: 1\}\)/,
    ],
    [
      '$rename of a field under null',
      { a: null },
      { $rename: { 'a.b': 'c' } },
      28,
      /to traverse the element/,
    ],
    ['$rename to under a scalar', { a: 1, c: 2 }, { $rename: { c: 'a.b' } }, 28, /Cannot create field 'b'/],
    ['$bit of a double', { a: 1.5 }, { $bit: { a: { and: 1 } } }, 2, /\$bit/],
    ['an empty path', {}, { $set: { 'a..b': 1 } }, 56, /empty field name/],
  ])('%s is refused', async (_name, before, update, code, message) => {
    const error = await updates.refused(before, update);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe('pipeline updates', () => {
  test('stages compute new fields from old ones', async () => {
    const stages = [{ $set: { total: { $add: ['$a', '$b'] } } }, { $unset: 'b' }];
    expect(await updates.updated({ a: 1, b: 2 }, stages)).toEqual({ a: 1, total: 3 });
  });
  test('$$NOW is the time of the command', async () => {
    const after = await updates.updated({}, [{ $set: { at: '$$NOW' } }]);
    expect(Math.abs(after.at.getTime() - Date.now())).toBeLessThan(5000);
  });
  test('a stage that makes several documents is refused', async () => {
    expect((await updates.refused({}, [{ $match: {} }])).code).toBe(72);
  });
});

describe('upsert', () => {
  test.each<[string, Document, Document, Document]>([
    [
      'equalities of the filter become fields',
      { a: 1, 'b.c': { $eq: 2 }, d: { $gt: 3 } },
      { $set: { e: 5 } },
      { a: 1, b: { c: 2 }, e: 5 },
    ],
    [
      '$and counts, $or of several does not',
      { $and: [{ a: 1 }], $or: [{ b: 1 }, { c: 1 }] },
      { $set: { d: 1 } },
      { a: 1, d: 1 },
    ],
    ['$setOnInsert', { a: 1 }, { $set: { b: 2 }, $setOnInsert: { c: 3 } }, { a: 1, b: 2, c: 3 }],
    ['$inc of a field of the filter', { a: 1 }, { $inc: { a: 1 } }, { a: 2 }],
    ['$push', { a: 1 }, { $push: { b: 1 } }, { a: 1, b: [1] }],
  ])('%s', async (_name, filter, update, after) => {
    const collection = await store.filled();
    const result = await collection.updateOne(filter, update, { upsert: true });
    expect(result).toMatchObject({ matchedCount: 0, modifiedCount: 0, upsertedCount: 1 });
    const { _id, ...document } = (await collection.findOne()) as Document;
    expect(document).toEqual(after);
    expect(_id).toEqual(result.upsertedId);
  });
  test('a replacement takes only the _id of the filter', async () => {
    const collection = await store.filled();
    await collection.replaceOne({ _id: 7 as never, x: 1 }, { a: 1 }, { upsert: true });
    expect(await collection.findOne()).toEqual({ _id: 7, a: 1 });
  });
  test('a path that is fixed twice is refused', async () => {
    const collection = await store.filled();
    const error = await errorOf(
      collection.updateOne({ $and: [{ a: 1 }, { a: 2 }] }, { $set: { b: 1 } }, { upsert: true }),
    );
    expect(error.code).toBe(54);
  });
});

describe('update, replace and findAndModify', () => {
  test('counts what matched and what changed', async () => {
    const collection = await store.filled({ a: 1 }, { a: 2 }, { a: 3 });
    expect(await collection.updateMany({ a: { $lte: 2 } }, { $set: { a: 2 } })).toMatchObject({
      matchedCount: 2,
      modifiedCount: 1,
    });
    expect(await collection.updateOne({ a: 99 }, { $set: { a: 1 } })).toMatchObject({ matchedCount: 0 });
    expect(await collection.deleteMany({ a: 2 })).toMatchObject({ deletedCount: 2 });
  });
  test('a replacement keeps the _id and refuses another', async () => {
    const collection = await store.filled({ _id: 1 as never, a: 1, b: 2 });
    await collection.replaceOne({ a: 1 }, { c: 3 });
    expect(await collection.findOne()).toEqual({ _id: 1, c: 3 });
    expect((await errorOf(collection.replaceOne({}, { _id: 2 as never, c: 3 }))).code).toBe(66);
  });
  test('findOneAndUpdate gives the document before or after, by sort and projection', async () => {
    const collection = await store.filled({ _id: 1 as never, n: 1 }, { _id: 2 as never, n: 2 });
    expect(await collection.findOneAndUpdate({}, { $inc: { n: 10 } }, { sort: { n: -1 } })).toEqual({
      _id: 2,
      n: 2,
    });
    expect(
      await collection.findOneAndUpdate(
        { _id: 1 as never },
        { $inc: { n: 1 } },
        { returnDocument: 'after', projection: { _id: 0 } },
      ),
    ).toEqual({ n: 2 });
    expect(await collection.findOneAndUpdate({ n: 99 }, { $set: { n: 1 } })).toBeNull();
    expect(
      await collection.findOneAndUpdate(
        { k: 1 },
        { $set: { n: 5 } },
        { upsert: true, returnDocument: 'after', projection: { _id: 0 } },
      ),
    ).toEqual({ k: 1, n: 5 });
    expect(await collection.findOneAndDelete({ _id: 1 as never })).toEqual({ _id: 1, n: 2 });
    expect(
      await collection.findOneAndReplace({ _id: 2 as never }, { z: 1 }, { returnDocument: 'after' }),
    ).toEqual({ _id: 2, z: 1 });
  });
  test('an error in an ordered bulk stops it, in an unordered one it does not', async () => {
    const documents = [{ _id: 1 as never }, { _id: 1 as never }, { _id: 2 as never }];
    const ordered = await store.filled();
    await expect(ordered.insertMany(documents)).rejects.toMatchObject({ code: 11000, insertedCount: 1 });
    expect(await ordered.countDocuments()).toBe(1);
    const unordered = await store.filled();
    await expect(unordered.insertMany(documents, { ordered: false })).rejects.toMatchObject({
      insertedCount: 2,
    });
    expect(await unordered.countDocuments()).toBe(2);
  });
});
