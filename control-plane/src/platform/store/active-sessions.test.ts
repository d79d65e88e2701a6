import type { ClientSession } from 'mongodb';
import type { Connection } from 'mongoose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { connectStore } from './connection.js';

/** What the driver keeps of its own. */
interface Client {
  readonly s: { readonly activeSessions: Iterable<ClientSession> };
}

let store: TestStore;
let connection: Connection;
beforeEach(async () => {
  store = await startTestStore();
  connection = await connectStore(store.uri);
  const rows = Array.from({ length: 9 }, (_, n) => ({ n }));
  await connection.collection('rows').insertMany(rows);
});
afterEach(async () => {
  await connection.close();
  await store.close();
});

const sessions = () => [...(connection.getClient() as unknown as Client).s.activeSessions];
/** Rows that are read three at a time. */
const cursor = () => connection.collection('rows').find({}, { batchSize: 3 });

it('a connection knows the session of what is being read, until it is read', async () => {
  expect(sessions()).toEqual([]);
  const [one, other] = [cursor(), cursor()];
  await one.next();
  await other.next();
  const [first, second] = sessions();
  expect(sessions()).toHaveLength(2);
  expect(await one.toArray()).toHaveLength(8);
  expect([first!.hasEnded, second!.hasEnded]).toEqual([true, false]);
  expect(sessions()).toEqual([second]);
  await other.close();
  expect(sessions()).toEqual([]);
});

it('a connection that is closed ends its sessions, and knows none of them any more', async () => {
  await cursor().next();
  const [left] = sessions();
  await connection.close();
  expect(left!.hasEnded).toBe(true);
  expect(sessions()).toEqual([]);
});

it('the sessions of a connection are not kept in a set, whose tables keep what they were of', () => {
  expect((connection.getClient() as unknown as Client).s.activeSessions).not.toBeInstanceOf(Set);
});
