import { systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { ensureIndexes, startTestStore, type TestStore } from '../../testing/store.js';
import { NEVER_BEGINS_MS } from './held-job.js';
import { Jobs } from './jobs.js';
import { KeyedJob, type RunJob } from './keyed-job.js';
import { KeyedJobs } from './keyed-jobs.js';
import { type ScheduledJobModel, scheduledJobModel } from './scheduled-job-model.js';

let store: TestStore;
let connection: Connection;
let scheduledJobs: ScheduledJobModel;
let started: Jobs[];
let errors: string[];
let logged: object[];
/** Runs that have ended, as they are counted. */
let counted: string[];

beforeAll(async () => {
  store = await startTestStore();
  connection = await store.connect();
  scheduledJobs = scheduledJobModel(connection);
  await ensureIndexes(connection);
});
beforeEach(() => {
  [started, errors, logged, counted] = [[], [], [], []];
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const jobs of started) await jobs.stop();
  await scheduledJobs.deleteMany({});
});
afterAll(() => store?.close());

/** Starts a replica whose Agenda runs one kind of job. */
async function replica(run: RunJob, clock = systemClock): Promise<KeyedJob> {
  const kind = new KeyedJob({ name: 'sort', run, fieldsOf: (key) => ({ pile: key }) });
  const log = {
    ...silentLog,
    error: ({ err: _, ...fields }: Record<string, unknown>, message: string) => {
      errors.push(message);
      logged.push(fields);
    },
  };
  const options = { store: connection, scheduledJobs, clock, log };
  const counts = { inc: (labels: object) => void counted.push(Object.values(labels).join(' ')) };
  const jobs = new Jobs({ ...options, jobs: [], keyedJobs: [kind], runs: counts });
  started.push(jobs);
  await jobs.start();
  return kind;
}

describe('a scheduled job', () => {
  it('is run by Agenda at once, not at its next poll, and again when its run says so', async () => {
    const runs: [string, number][] = [];
    const kind = await replica(async (key) => {
      runs.push([key, Date.now()]);
      return runs.length < 3 ? Date.now() + 100 : null;
    });
    // Past the poll at the start.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await kind.schedule('a', Date.now());
    await eventually(() => runs.length === 3, Boolean, 1500);
    expect(runs.map(([key]) => key)).toEqual(['a', 'a', 'a']);
    expect(runs[2]![1] - runs[0]![1]).toBeGreaterThanOrEqual(195);
    await eventually(async () => (await scheduledJobs.countDocuments({ name: 'sort' })) === 0);
  });

  it('that fails is logged and run again', async () => {
    let runs = 0;
    const kind = await replica(async () => {
      if (++runs === 1) throw new Error('the store is away');
      return null;
    });
    await kind.schedule('a', Date.now());
    await eventually(() => runs === 2);
    expect(errors).toEqual(['job failed']);
    expect(logged).toEqual([{ job: 'sort', pile: 'a' }]);
    await eventually(() => counted.length === 2);
    expect(counted).toEqual(['sort failed', 'sort succeeded']);
  });

  it('whose start could not be saved, so that Agenda drops it, is run all the same', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
    let runs = 0;
    const kind = await replica(async () => {
      runs += 1;
      return null;
    }, clock);
    vi.spyOn(KeyedJobs.prototype, 'touch').mockImplementationOnce(async () => {
      aheadMs = NEVER_BEGINS_MS;
      throw new Error('the store is away');
    });
    await kind.schedule('a', Date.now());
    await eventually(() => runs === 1, Boolean, 30_000);
    expect(errors).toEqual(['job runner']);
    await eventually(async () => (await scheduledJobs.countDocuments({ name: 'sort' })) === 0);
  });

  it('is given up by a replica that stops, and run by another one', async () => {
    const ran: string[] = [];
    const resting = (name: string): RunJob => {
      return async (_key, run) => {
        ran.push(name);
        await run.rest(60_000);
        return null;
      };
    };
    const kind = await replica(resting('first'));
    await kind.schedule('a', Date.now());
    await eventually(() => ran.length === 1);
    await replica(resting('second'));
    await started[0]!.stop();
    await eventually(() => ran.length === 2);
    expect(ran).toEqual(['first', 'second']);
    expect(await scheduledJobs.countDocuments({ holder: { $ne: null } })).toBe(1);
  });
});
