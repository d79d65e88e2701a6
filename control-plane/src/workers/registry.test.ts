import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { type Heartbeat, WORKER_LOST_AFTER_MS } from '@voice/shared/contracts/worker';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestStore, type TestStore } from '../testing/store.js';
import { WorkerHolds } from './holds.js';
import { workerModel } from './model.js';
import { WorkerRegistry } from './registry.js';

let store: TestStore;
let clock: ScriptedClock;
let connection: Connection;
let registry: WorkerRegistry;

const holds = () => connection.collection<{ _id: string; expires_at?: Date }>('worker_holds');

beforeAll(async () => {
  store = await startTestStore();
});
beforeEach(async () => {
  connection = await store.connect();
  const workers = workerModel(connection);
  await Promise.all([workers.deleteMany({}), holds().deleteMany({})]);
  clock = new ScriptedClock();
  registry = new WorkerRegistry(workers, new WorkerHolds(connection, clock), clock);
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

describe('what the operator holds back', () => {
  /** As a worker that is restarted: its calls are lost, and its row goes. */
  async function away(): Promise<void> {
    clock.advance(WORKER_LOST_AFTER_MS + 1);
    for (const worker of await registry.silent()) await registry.forget(worker);
    expect(await registry.all()).toEqual([]);
  }

  it('is kept over heartbeats', async () => {
    const first = await beat('worker');
    await registry.holdBack('worker', true);
    expect(await registry.recordNextHeartbeat({ ...REPORT, worker_id: 'worker' }, first)).not.toBeNull();
    expect(await registry.candidates()).toEqual([]);
  });

  it('is kept for a worker that was away, however often, and for no other', async () => {
    await beat('worker');
    await registry.holdBack('worker', true);
    for (let times = 0; times < 2; times++) {
      await away();
      expect(await holds().findOne({ _id: 'worker' })).toMatchObject({ expires_at: expect.any(Date) });
      await beat('worker');
      await beat('other');
      expect(names(await registry.candidates())).toEqual(['other']);
      expect(names(await registry.webRtcCandidates())).toEqual(['other']);
      expect(await registry.find('worker')).toMatchObject({ held_back: true });
      // A worker that is there is held back for as long as the operator wants.
      expect(await holds().find().toArray()).toEqual([{ _id: 'worker' }]);
    }
  });

  it('is kept by its row alone, as a replica of before has written it', async () => {
    const asRow = (change: { readonly held_back: boolean }) =>
      workerModel(connection).updateOne({ _id: 'worker' }, { $set: change });
    await beat('worker');
    await asRow({ held_back: true });
    await away();
    await beat('worker');
    expect(await registry.candidates()).toEqual([]);
    // And is given calls again where such a replica says so.
    await asRow({ held_back: false });
    await away();
    await beat('worker');
    expect(names(await registry.candidates())).toEqual(['worker']);
  });

  it('stays held back where the operator says so once more while it is away, and no stranger is', async () => {
    await beat('worker');
    await registry.holdBack('worker', true);
    await away();
    expect(await registry.holdBack('worker', true)).toBe(false);
    expect(await registry.holdBack('stranger', true)).toBe(false);
    await beat('worker');
    await beat('stranger');
    expect(names(await registry.candidates())).toEqual(['stranger']);
  });

  it.each(['there', 'away'])(
    'is given calls again where the operator says so while it is %s',
    async (where) => {
      await beat('worker');
      await registry.holdBack('worker', true);
      if (where === 'away') await away();
      expect(await registry.holdBack('worker', false)).toBe(where === 'there');
      if (where === 'there') await away();
      await beat('worker');
      expect(names(await registry.candidates())).toEqual(['worker']);
    },
  );

  it('is no worker that nobody knows: one that comes by that name later takes calls', async () => {
    expect(await registry.holdBack('worker', true)).toBe(false);
    await beat('worker');
    expect(names(await registry.candidates())).toEqual(['worker']);
  });
});
