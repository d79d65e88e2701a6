import { type Connection, Schema } from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedStore } from '../../testing/scripted-store.js';
import { connectStore } from './connection.js';

let store: ScriptedStore;
let connection: Connection | undefined;
beforeEach(async () => {
  store = await ScriptedStore.start();
});
afterEach(async () => {
  await connection?.close(true);
  connection = undefined;
  await store.close();
});

async function readAndWrite(options: string): Promise<void> {
  store.answer = ({ name }) =>
    name === 'find' || name === 'aggregate'
      ? { ok: 1, cursor: { id: 0n, ns: 'test.things', firstBatch: [] } }
      : { ok: 1, n: 1 };
  connection = await connectStore(`${store.uri}${options}`);
  const things = connection.model<{ _id: string }>(
    'Thing',
    new Schema({ _id: String }, { versionKey: false }),
  );
  await things.findOne({ _id: 'a' });
  await things.aggregate([{ $match: {} }]);
  await things.insertMany([{ _id: 'a' }]);
  await things.updateOne({ _id: 'a' }, { $set: { name: 'b' } }, { strict: false });
  await things.deleteOne({ _id: 'a' });
  await things.findOneAndUpdate({ _id: 'a' }, { $set: { name: 'b' } }, { strict: false });
}

describe('reads and writes are the primary’s and of a majority, whatever the URI asks for', () => {
  it.each([
    '',
    '?w=0',
    '?w=1&journal=false&wtimeoutMS=1',
    '?W=2&wTimeout=5&J=false',
    '?readConcernLevel=local',
    '?readConcernLevel=available&readPreference=secondary',
    '?readPreference=secondaryPreferred&readPreferenceTags=dc:ny&maxStalenessSeconds=120',
    '?appName=voice&w=1&retryWrites=true',
  ])('%s', async (options) => {
    await readAndWrite(options);
    for (const name of ['find', 'aggregate']) {
      expect(store.named(name), name).toHaveLength(1);
      expect(store.named(name)[0], name).toMatchObject({ readConcern: { level: 'majority' } });
      expect([undefined, 'primary'], name).toContain(
        (store.named(name)[0]!.$readPreference as { mode?: string } | undefined)?.mode,
      );
    }
    for (const name of ['insert', 'update', 'delete', 'findAndModify']) {
      expect(store.named(name), name).toHaveLength(1);
      expect(store.named(name)[0]!.writeConcern, name).toEqual({ w: 'majority', j: true });
    }
  });
});
