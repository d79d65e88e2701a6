import { type Connection, Schema } from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedStore } from '../../testing/scripted-store.js';
import { isDuplicateKey, toServiceError } from '../http/errors.js';
import { connectStore } from './connection.js';
import { insertMissing } from './insert-missing.js';

interface Thing {
  _id: string;
}

let store: ScriptedStore;
let connection: Connection;
beforeEach(async () => {
  store = await ScriptedStore.start();
  connection = await connectStore(store.uri);
});
afterEach(async () => {
  await connection.close(true);
  await store.close();
});

const duplicate = (index: number) => ({ index, code: 11000, errmsg: 'E11000 duplicate key error' });
const invalid = (index: number) => ({ index, code: 121, errmsg: 'Document failed validation' });
const notReplicated = {
  code: 64,
  codeName: 'WriteConcernFailed',
  errmsg: 'waiting for replication timed out',
};
const rows: Thing[] = ['a', 'b', 'c'].map((_id) => ({ _id }));

/** What `insertMissing` makes of the store's reply to an insert of three. */
async function insertedAfter(reply: object): Promise<readonly Thing[]> {
  store.answer = () => ({ ok: 1, ...reply });
  const things = connection.model<Thing>('Thing', new Schema<Thing>({ _id: String }, { versionKey: false }));
  return insertMissing(things, rows);
}

describe('an insert of many takes for duplicates what are duplicates, every one of them', () => {
  it('gives back those that were not there', async () => {
    expect(await insertedAfter({ n: 2, writeErrors: [duplicate(1)] })).toEqual([rows[0], rows[2]]);
  });

  it.each([
    ['a duplicate first and another error after it', { n: 1, writeErrors: [duplicate(0), invalid(2)] }],
    ['another error first', { n: 1, writeErrors: [invalid(0), duplicate(1)] }],
    [
      'duplicates beside a failed write concern',
      { n: 2, writeErrors: [duplicate(1)], writeConcernError: notReplicated },
    ],
    ['a failed write concern alone', { n: 3, writeConcernError: notReplicated }],
  ])('fails by %s', async (_what, reply) => {
    const failure = await insertedAfter(reply).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(Error);
    expect(isDuplicateKey(failure)).toBe(false);
  });

  it('reports a lost connection as such', async () => {
    store.answer = () => 'hang up';
    const things = connection.model<Thing>(
      'Thing',
      new Schema<Thing>({ _id: String }, { versionKey: false }),
    );
    const failure = await insertMissing(things, rows).catch((error: unknown) => error);
    expect(toServiceError(failure).code).toBe('store_unavailable');
  });
});
