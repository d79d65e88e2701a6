import { type Log, silentLog } from '@voice/shared/log/log';
import type { AgendaBackend, JobParameters, JobRepository } from 'agenda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Jobs, LOCK_LIFE_MS, LONGEST_RUN_MS, type RecurringJob } from './jobs.js';

/** One job's row, kept as Agenda's MongoDB backend keeps it. */
class MemoryBackend implements AgendaBackend {
  readonly name = 'memory';
  readonly ownsConnection = false;
  row: JobParameters | undefined;
  /** How often a lock was asked for, and a state saved. */
  readonly writes = { locks: 0, states: 0 };
  /** Holds saves of a job's end until it resolves. */
  slow: Promise<void> | undefined;

  readonly repository = {
    connect: async () => {},
    queryJobs: async () => ({ jobs: this.row ? [this.row] : [], total: this.row ? 1 : 0 }),
    saveJob: async (job: JobParameters) => {
      this.row = { ...job, _id: 'job-1' as never, lockedAt: undefined };
      return this.row;
    },
    saveJobState: async (job: JobParameters) => {
      const { lockedAt, nextRunAt, lastRunAt } = { ...job };
      this.writes.states++;
      if (!lockedAt) await this.slow;
      this.row = { ...this.row!, lockedAt, nextRunAt, lastRunAt };
    },
    unlockJob: async () => {},
    unlockJobs: async () => {},
    getNextJobToRun: async (name: string, nextScanAt: Date, lockDeadline: Date) => {
      const row = this.row;
      this.writes.locks++;
      if (!row || row.name !== name) return undefined;
      const due = row.lockedAt ? row.lockedAt <= lockDeadline : row.nextRunAt! <= nextScanAt;
      if (!due) return undefined;
      this.row = { ...row, lockedAt: new Date() };
      return { ...this.row };
    },
  } as unknown as JobRepository;

  async connect(): Promise<void> {}
  async disconnect(): Promise<void> {}
}

let backend: MemoryBackend;
let replicas: Jobs[];
let logged: { level: string; err?: Error }[];
const log: Log = {
  ...silentLog,
  warn: (fields) => logged.push({ level: 'warn', ...fields }),
  error: (fields) => logged.push({ level: 'error', ...fields }),
};

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date', 'performance'],
  });
  backend = new MemoryBackend();
  replicas = [];
  logged = [];
});
afterEach(async () => {
  for (const jobs of replicas) await jobs.stop();
  vi.useRealTimers();
});

async function started(run: RecurringJob['run']): Promise<void> {
  const jobs = new Jobs({
    store: undefined as never,
    jobs: [{ name: 'sweep', every: '2 seconds', run }],
    log,
    backend,
  });
  replicas.push(jobs);
  await jobs.start();
}

/** A job's work that goes on until it is let go; counts its turns and how many run at once. */
function longWork() {
  const work = { turns: 0, atOnce: 0, most: 0, letGo: () => {} };
  const run = async () => {
    work.turns++;
    work.most = Math.max(work.most, ++work.atOnce);
    await new Promise<void>((resolve) => {
      work.letGo = resolve;
    });
    work.atOnce--;
  };
  return { work, run };
}

describe('a recurring job', () => {
  it('whose end the store is slow to save is no error', async () => {
    let save = () => {};
    backend.slow = new Promise((resolve) => {
      save = resolve;
    });
    let turns = 0;
    await started(async () => {
      turns++;
    });
    // The watchdog looks after half a lock's life.
    await vi.advanceTimersByTimeAsync(LOCK_LIFE_MS - 1000);
    expect(turns).toBe(1);
    expect(logged).toEqual([]);
    save();
    await vi.advanceTimersByTimeAsync(10);
    expect(backend.row?.lockedAt).toBeUndefined();
    await vi.advanceTimersByTimeAsync(6000);
    expect(turns).toBeGreaterThan(1);
    expect(logged).toEqual([]);
  });

  it('that runs longer than a lock lives keeps its lock, and no other replica runs it beside', async () => {
    const { work, run } = longWork();
    await started(run);
    await started(run);
    await vi.advanceTimersByTimeAsync(3 * LOCK_LIFE_MS);
    expect(work).toMatchObject({ turns: 1, most: 1 });
    work.letGo();
    await vi.advanceTimersByTimeAsync(5000);
    expect(work.turns).toBeGreaterThan(1);
    expect(work.most).toBe(1);
    expect(logged).toEqual([]);
  });

  it('that hangs loses its lock after a while, and another replica runs it', async () => {
    const { work, run } = longWork();
    await started(run);
    await started(run);
    await vi.advanceTimersByTimeAsync(LONGEST_RUN_MS + 3 * LOCK_LIFE_MS);
    expect(work.turns).toBeGreaterThan(1);
  });

  it('keeps the lock of the replica that runs it when another replica starts', async () => {
    const { work, run } = longWork();
    await started(run);
    await vi.advanceTimersByTimeAsync(3000);
    expect(backend.row?.lockedAt).toBeDefined();
    await started(run);
    expect(backend.row?.lockedAt).toBeDefined();
    expect(work.turns).toBe(1);
  });

  it('costs a write for its lock and one for its end, and none while it is not due', async () => {
    let turns = 0;
    await started(async () => {
      turns++;
    });
    await vi.advanceTimersByTimeAsync(20_500);
    expect(turns).toBeGreaterThan(8);
    expect(backend.writes.states).toBe(turns);
    // It may be locked for a turn that is still to come.
    expect(backend.writes.locks).toBeLessThanOrEqual(turns + 1);
  });
});
