import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { connectStore } from './connection.js';

/** What the driver keeps of its own. */
interface DriverPools {
  readonly topology: { readonly s: { readonly servers: ReadonlyMap<string, { readonly pool: Pool }> } };
}
interface Pool {
  readonly options: { readonly minPoolSizeCheckFrequencyMS: number; readonly minPoolSize: number };
}

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

it('a pool of connections, of which none need be kept, wakes an idle process every two seconds', async () => {
  // A second connection of the process changes nothing about it.
  const connections = [await connectStore(store.uri), await connectStore(store.uri)];
  for (const connection of connections) {
    await connection.collection('rows').findOne({});
    const { topology } = connection.getClient() as unknown as DriverPools;
    const pools = [...topology.s.servers.values()].map(({ pool }) => pool);
    expect(pools).toHaveLength(1);
    expect(pools[0]!.options).toMatchObject({ minPoolSizeCheckFrequencyMS: 2000, minPoolSize: 0 });
    await connection.close();
  }
});
