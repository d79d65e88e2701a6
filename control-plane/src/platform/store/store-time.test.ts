import { AdjustedClock } from '@voice/shared/clock/adjusted-clock';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { WorkerHolds } from '../../workers/holds.js';
import { workerModel } from '../../workers/model.js';
import { WorkerRegistry } from '../../workers/registry.js';
import { followStoreTime } from './store-time.js';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

const wrongBy = (ms: number): Clock => ({ ...systemClock, now: () => Date.now() + ms });

it('lets replicas whose clocks are a minute apart agree on the time', async () => {
  const connection = await store.connect();
  const clocks = [30_000, -30_000, 0].map((ms) => new AdjustedClock(wrongBy(ms)));
  for (const clock of clocks) (await followStoreTime(clock, { store: connection, log: silentLog })).stop();
  const times = clocks.map((clock) => clock.now());
  // What is borne (2 s each way), and this machine's pauses.
  expect(Math.max(...times) - Math.min(...times)).toBeLessThan(10_000);
});

it('lets a replica that is 30 s ahead find a worker which one that is 30 s behind has heard', async () => {
  const connection = await store.connect();
  const workers = workerModel(connection);
  const registryBy = (clock: Clock) => new WorkerRegistry(workers, new WorkerHolds(connection, clock), clock);
  const heardBy = async (clock: Clock) => {
    await workers.deleteMany({});
    await registryBy(clock).recordHeartbeat(
      {
        worker_id: 'w1',
        control_url: 'http://127.0.0.1:1',
        media_url: 'ws://127.0.0.1:1',
        capacity: 1,
        live: 0,
        reserved: 0,
        draining: false,
        calls: [],
      },
      [],
    );
  };
  const foundBy = (clock: Clock) => registryBy(clock).candidates();
  const [behind, ahead] = [wrongBy(-30_000), wrongBy(30_000)];
  await heardBy(behind);
  expect(await foundBy(ahead)).toEqual([]);
  const [late, early] = [new AdjustedClock(behind), new AdjustedClock(ahead)];
  for (const clock of [late, early]) {
    (await followStoreTime(clock, { store: connection, log: silentLog })).stop();
  }
  await heardBy(late);
  expect(await foundBy(early)).toMatchObject([{ _id: 'w1' }]);
});

it('goes on with its own time while the store is away', async () => {
  const connection = await store.connect();
  await connection.close();
  const clock = new AdjustedClock(wrongBy(30_000));
  const following = await followStoreTime(clock, { store: connection, log: silentLog });
  following.stop();
  expect(Math.abs(clock.now() - Date.now() - 30_000)).toBeLessThan(5000);
});
