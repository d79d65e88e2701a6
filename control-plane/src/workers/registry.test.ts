import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { type Heartbeat, WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../testing/store.js';
import { workerModel } from './model.js';
import { WorkerRegistry } from './registry.js';

let store: TestStore;
let clock: ScriptedClock;
let registry: WorkerRegistry;

beforeAll(async () => {
  store = await startTestStore();
});
beforeEach(async () => {
  const workers = workerModel(await store.connect());
  await workers.deleteMany({});
  clock = new ScriptedClock();
  registry = new WorkerRegistry(workers, clock);
});
afterAll(() => store?.close());

const beat = (worker_id: string, more: Partial<Heartbeat> = {}) =>
  registry.recordHeartbeat(
    {
      worker_id,
      control_url: 'http://127.0.0.1:1',
      media_url: 'ws://127.0.0.1:1',
      capacity: 10,
      live: 3,
      reserved: 1,
      draining: false,
      calls: [],
      webrtc: { available: true },
      ...more,
    },
    [],
  );
const names = (workers: readonly { readonly _id: string }[]) => workers.map(({ _id }) => _id).toSorted();

it('offers calls and sessions to workers that report, take calls and have room on their disk', async () => {
  await beat('silent');
  clock.advance(WORKER_LOST_AFTER_MS);
  await beat('free');
  await beat('full', { live: 9 });
  await beat('draining', { draining: true });
  await beat('full disk', { storage_full: true });
  expect(names(await registry.candidates())).toEqual(['free']);
  expect(names(await registry.webRtcCandidates())).toEqual(['free']);
});

it('offers calls again to a worker whose disk has room again', async () => {
  await beat('worker', { storage_full: true });
  expect(names(await registry.webRtcCandidates())).toEqual([]);
  await beat('worker', { storage_full: false });
  expect(names(await registry.candidates())).toEqual(['worker']);
  expect(names(await registry.webRtcCandidates())).toEqual(['worker']);
});
