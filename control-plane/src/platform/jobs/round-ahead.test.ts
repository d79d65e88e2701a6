import { systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { ensureIndexes, startTestStore, type TestStore } from '../../testing/store.js';
import { Jobs } from './jobs.js';
import { ROUND_EVERY_MS } from './rounds.js';
import { scheduledJobModel } from './scheduled-job-model.js';

const HOUR_MS = 3_600_000;

let store: TestStore;
let connection: Connection;
let jobs: Jobs;
let turns: number;
let warnings: string[];
/** Have the replica look, as it does twice a minute. */
let looks: (() => void)[];

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  await ensureIndexes(connection);
});
beforeEach(async () => {
  [turns, warnings, looks] = [0, [], []];
  const every = globalThis.setInterval;
  const intervals = vi.spyOn(globalThis, 'setInterval');
  intervals.mockImplementation(((task: () => void, ms: number) => {
    if (ms === 30_000) looks.push(task);
    return every(task, ms);
  }) as typeof setInterval);
  jobs = new Jobs({
    store: connection,
    jobs: [{ name: 'sweep', everyMs: ROUND_EVERY_MS, run: async () => void turns++ }],
    keyedJobs: [],
    scheduledJobs: scheduledJobModel(connection),
    clock: systemClock,
    log: { ...silentLog, warn: (_fields, message) => void warnings.push(message) },
  });
  await jobs.start();
  intervals.mockRestore();
  await eventually(() => turns > 0);
});
afterEach(() => jobs.stop());
afterAll(() => store?.close());

const rows = () => connection.collection('jobs');

it.each([
  ['is planned', { nextRunAt: HOUR_MS, lockedAt: null }],
  ['was locked', { nextRunAt: 0, lockedAt: HOUR_MS }],
] as const)('a round that %s by a clock an hour ahead is made now', async (_what, times) => {
  const at = (ms: number | null) => (ms === null ? null : new Date(Date.now() + ms));
  const far = { nextRunAt: at(times.nextRunAt), lockedAt: at(times.lockedAt) };
  // The replica that makes a round holds its lock until the next one is written, which would be written over this.
  const free = { name: 'round', lockedAt: null };
  await eventually(async () => (await rows().updateOne(free, { $set: far })).modifiedCount === 1);
  const before = turns;
  expect(looks).toHaveLength(1);
  for (const look of looks) look();
  await eventually(() => turns > before);
  expect(warnings).toEqual(['the next round of jobs was far ahead, and is made now']);
});

it('a round that is due soon is left to its time', async () => {
  for (const look of looks) look();
  const before = turns;
  await eventually(() => turns > before);
  expect(warnings).toEqual([]);
});
