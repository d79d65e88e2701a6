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

const REPORT = {
  control_url: 'http://127.0.0.1:1',
  media_url: 'ws://127.0.0.1:1',
  capacity: 10,
  live: 3,
  reserved: 1,
  draining: false,
  calls: [],
  webrtc: { available: true },
} satisfies Omit<Heartbeat, 'worker_id'>;

const beat = (worker_id: string, more: Partial<Heartbeat> = {}) =>
  registry.recordHeartbeat({ ...REPORT, worker_id, ...more }, []);
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

it('takes the next heartbeat only where none came in between and nothing is missing', async () => {
  const sent: Heartbeat = { ...REPORT, worker_id: 'worker', live: 5 };
  const first = await registry.recordHeartbeat(sent, []);
  clock.advance(2000);
  const second = await registry.recordNextHeartbeat({ ...sent, live: 7 }, first);
  expect(second).toEqual(new Date(clock.now()));
  expect(await registry.find('worker')).toMatchObject({
    live: 7,
    free: 2,
    last_seen_at: second,
    missing: [],
  });
  expect(await registry.recordNextHeartbeat(sent, first)).toBeNull();
  const missing = [{ call_id: 'a', since: new Date(clock.now()), held_at: first }];
  const third = await registry.recordHeartbeat(sent, missing);
  expect(await registry.recordNextHeartbeat(sent, third)).toBeNull();
  expect(await registry.find('worker')).toMatchObject({ missing });
});

it('finds a worker silent as soon as it has been for long enough, though others were heard meanwhile', async () => {
  await beat('early');
  clock.advance(3000);
  await beat('late');
  expect(await registry.silent()).toEqual([]);
  clock.advance(WORKER_LOST_AFTER_MS - 3000);
  await beat('new');
  expect(await registry.silent()).toEqual([]);
  clock.advance(1);
  expect(names(await registry.silent())).toEqual(['early']);
  clock.advance(3000);
  await beat('early');
  expect(names(await registry.silent())).toEqual(['late']);
});

it('finds one silent that was heard once, after it had found none', async () => {
  expect(await registry.silent()).toEqual([]);
  clock.advance(2000);
  await beat('worker');
  clock.advance(WORKER_LOST_AFTER_MS + 1);
  expect(names(await registry.silent())).toEqual(['worker']);
});

it('keeps what the operator holds back', async () => {
  const first = await registry.recordHeartbeat({ ...REPORT, worker_id: 'worker' }, []);
  await registry.holdBack('worker', true);
  expect(await registry.recordNextHeartbeat({ ...REPORT, worker_id: 'worker' }, first)).not.toBeNull();
  expect(await registry.candidates()).toEqual([]);
});
