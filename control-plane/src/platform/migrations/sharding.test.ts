import type { Connection } from 'mongoose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedStore } from '../../testing/scripted-store.js';
import { connectStore } from '../store/connection.js';
import { SHARD_KEYS, shardCollections } from './sharding.js';

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

describe('sharding', () => {
  it('builds the index of each key, then shards its collection by it', async () => {
    // What distinguishes a router from a member of a replica set.
    store.greeting = { msg: 'isdbgrid', setName: undefined, hosts: undefined };
    connection = await connectStore(store.uri);
    await shardCollections(connection);
    const collections = Object.keys(SHARD_KEYS);
    expect(store.commands.map(({ name, body }) => [name, body[name]])).toEqual(
      collections.flatMap((name) => [
        ['createIndexes', name],
        ['shardCollection', `test.${name}`],
      ]),
    );
    expect(store.named('shardCollection')[0]).toMatchObject({ key: { tenant_id: 1, _id: 1 } });
  });

  it('is refused where there is no router', async () => {
    connection = await connectStore(store.uri);
    await expect(shardCollections(connection)).rejects.toThrow('This store is not sharded.');
    expect(store.commands).toEqual([]);
  });
});
