import { type Connection, type IndexDefinition, type IndexOptions, Schema } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { ensureIndexes } from './ensure-indexes.js';

const COLLECTION = 'notes';

let store: TestStore;
let connection: Connection;
beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
});
afterAll(async () => {
  await store?.close();
});
beforeEach(async () => {
  await connection.dropDatabase();
});

/** Declares indexes as a version of the program does. */
function declare(...indexes: readonly [IndexDefinition, IndexOptions?][]): void {
  const schema = new Schema({}, { collection: COLLECTION, autoIndex: false, autoCreate: false });
  for (const [key, options = {}] of indexes) schema.index(key, options);
  connection.deleteModel(/Note/);
  connection.model('Note', schema);
}

const present = async () =>
  (await connection.collection(COLLECTION).indexes())
    .filter(({ name }) => name !== '_id_')
    .map(({ v: _version, ...index }) => index);

describe('the indexes that are declared', () => {
  it.each<[string, [IndexDefinition, IndexOptions?], [IndexDefinition, IndexOptions?]]>([
    ['a unique one was not unique', [{ number: 1 }], [{ number: 1 }, { unique: true }]],
    ['one expired later', [{ at: 1 }, { expireAfterSeconds: 60 }], [{ at: 1 }, { expireAfterSeconds: 0 }]],
    ['a partial one was of others', partial(1), partial(2)],
    ['a partial one was of all', [{ at: 1 }], partial(2)],
    ['one of its name has another key', [{ at: 1 }, { name: 'due' }], [{ due_at: 1 }, { name: 'due' }]],
    [
      'one of its name has its fields in another order',
      [{ a: 1, b: 1 }, { name: 'x' }],
      [{ b: 1, a: 1 }, { name: 'x' }],
    ],
    ['one of another name expires later', [{ at: 1 }, { name: 'x', expireAfterSeconds: 9 }], [{ at: 1 }]],
  ])('are there although %s', async (_why, before, now) => {
    declare(before);
    await ensureIndexes(connection);
    declare(now, [{ tenant: 1 }]);
    const replaced: string[] = [];
    await ensureIndexes(connection, { onReplaced: ({ index }) => replaced.push(index.name) });
    const [key, options = {}] = now;
    const wanted = [
      expect.objectContaining({ ...options, key }),
      expect.objectContaining({ name: 'tenant_1' }),
    ];
    expect(await present()).toEqual(wanted);
    expect(replaced).toHaveLength(1);
  });

  it('are not built where an operator has made the same under another name', async () => {
    await connection.collection(COLLECTION).createIndex({ at: 1 }, { name: 'mine' });
    declare([{ at: 1 }], [{ tenant: 1 }]);
    await ensureIndexes(connection);
    expect((await present()).map(({ name }) => name)).toEqual(['mine', 'tenant_1']);
  });

  it('replace no index of a newer version', async () => {
    declare([{ at: 1 }, { expireAfterSeconds: 60 }]);
    await ensureIndexes(connection);
    declare([{ at: 1 }, { expireAfterSeconds: 0 }], [{ tenant: 1 }]);
    await ensureIndexes(connection, { keepsOthers: true });
    expect(await present()).toMatchObject([{ name: 'at_1', expireAfterSeconds: 60 }, { name: 'tenant_1' }]);
  });

  it('name fields and collection, and no value, where documents are not unique', async () => {
    await connection
      .collection(COLLECTION)
      .insertMany([{ number: '+12125550123' }, { number: '+12125550123' }]);
    declare([{ number: 1 }, { unique: true }]);
    await expect(ensureIndexes(connection)).rejects.toThrow(
      /^An index \{"number":1\} of the collection notes cannot be built: .*Remove all but one of them, then start again\.$/,
    );
  });
});

function partial(from: number): [IndexDefinition, IndexOptions] {
  return [{ at: 1 }, { partialFilterExpression: { count: { $gt: from } } }];
}
