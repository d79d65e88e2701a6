import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestStoreProcess, type TestStoreProcess } from '../../testing/store.js';
import { connectStore } from './connection.js';

/** More than the system takes for a peer that does not read. */
const LARGE = 14 * 1024 ** 2;

let store: TestStoreProcess;
beforeAll(async () => {
  store = await startTestStoreProcess();
});
afterAll(() => store.close());

it('a command that is being sent to a store that freezes fails, and the next one works when it is back', async () => {
  const connection = await connectStore(store.uri);
  const rows = connection.collection<{ _id: string; text: string }>('rows');
  await rows.insertOne({ _id: 'small', text: 'x' });
  store.freeze();
  await expect(rows.insertOne({ _id: 'large', text: 'x'.repeat(LARGE) })).rejects.toMatchObject({
    name: expect.stringMatching(/^Mongo(Network|PoolCleared|ServerSelection)/),
  });
  store.thaw();
  await expect.poll(() => rows.countDocuments({ _id: 'small' }).catch(() => 0)).toBe(1);
  await connection.close();
});
