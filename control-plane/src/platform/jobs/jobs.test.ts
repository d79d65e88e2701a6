import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { type Log, silentLog } from '@voice/shared/log/log';
import type { AgendaBackend, JobParameters, JobRepository } from 'agenda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Jobs, LOCK_LIFE_MS } from './jobs.js';
import { LONGEST_RUN_MS, type RecurringJob, ROUND_EVERY_MS } from './rounds.js';

/** One job's row, kept as Agenda's MongoDB backend keeps it. */
class MemoryBackend implements AgendaBackend {
  readonly name = 'memory';
  readonly ownsConnection = false;
  row: JobParameters | undefined;
  /** How often a lock was asked for, and a state saved. */
  readonly writes = { locks: 0, states: 0 };
  /** What was removed. */
  readonly removed: object[] = [];
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
    removeJobs: async (those: object) => {
      this.removed.push(those);
      return 0;
    },
    getNextJobToRun: async (name: string, nextScanAt: Date, lockDeadline: Date, now: Date) => {
      const row = this.row;
      this.writes.locks++;
      if (!row || row.name !== name) return undefined;
      const due = row.lockedAt ? row.lockedAt <= lockDeadline : row.nextRunAt! <= nextScanAt;
      if (!due) return undefined;
      this.row = { ...row, lockedAt: now };
      return { ...this.row };
    },
  } as unknown as JobRepository;

  async connect(): Promise<void> {}
  async disconnect(): Promise<void> {}
}

let backend: MemoryBackend;
let replicas: Jobs[];
let logged: { level: string; err?: Error }[];
/** Runs that have ended, as they are counted. */
let runs: string[];
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
  runs = [];
});
afterEach(async () => {
  for (const jobs of replicas) await jobs.stop();
  vi.useRealTimers();
});

async function started(run: RecurringJob['run'], ...others: RecurringJob[]): Promise<void> {
  await startedBy(systemClock, run, ...others);
}

/** Starts a replica that takes another time than its machine's. */
async function startedBy(clock: Clock, run: RecurringJob['run'], ...others: RecurringJob[]): Promise<void> {
  const jobs = new Jobs({
    runs: { inc: (labels) => void runs.push(Object.values(labels).join(' ')) },
    store: undefined as never,
    jobs: [{ name: 'sweep', everyMs: ROUND_EVERY_MS, run }, ...others],
    keyedJobs: [],
    scheduledJobs: { collection: undefined } as never,
    clock,
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

  it('that hangs is run once more beside itself after a while, and holds up no other', async () => {
    const { work, run } = longWork();
    let turns = 0;
    await started(run, {
      name: 'other',
      everyMs: 2 * ROUND_EVERY_MS,
      run: async () => {
        turns++;
      },
    });
    await vi.advanceTimersByTimeAsync(LONGEST_RUN_MS - ROUND_EVERY_MS);
    expect(work.turns).toBe(1);
    const before = turns;
    expect(before).toBeGreaterThan(LONGEST_RUN_MS / ROUND_EVERY_MS / 2 - 3);
    await vi.advanceTimersByTimeAsync(4 * LONGEST_RUN_MS);
    expect(work.turns).toBe(2);
    expect(turns).toBeGreaterThan(3 * before);
  });

  // Agenda drops a lock that it has taken ahead of the job's time, and that is too old when the time has come.
  it('is counted by its name and by how it ended, when it has', async () => {
    let turns = 0;
    await started(
      async () => {
        if (++turns === 2) throw new Error('the store is away');
      },
      { name: 'hangs', everyMs: ROUND_EVERY_MS, run: () => new Promise(() => {}) },
    );
    await vi.advanceTimersByTimeAsync(2 * ROUND_EVERY_MS + 100);
    expect(runs.slice(0, 2)).toEqual(['sweep succeeded', 'sweep failed']);
    expect(runs.filter((run) => run.startsWith('hangs'))).toEqual([]);
  });

  it('goes on after a stand-still that was longer than a lock lives', async () => {
    let turns = 0;
    await started(async () => {
      turns++;
    });
    await vi.advanceTimersByTimeAsync(2 * ROUND_EVERY_MS + 100);
    backend.row = { ...backend.row!, nextRunAt: new Date(Date.now() + ROUND_EVERY_MS + 1000) };
    await vi.advanceTimersByTimeAsync(ROUND_EVERY_MS);
    expect(backend.row?.lockedAt).toBeDefined();
    const before = turns;
    vi.setSystemTime(Date.now() + 3 * LOCK_LIFE_MS);
    await vi.advanceTimersByTimeAsync(3 * LOCK_LIFE_MS);
    expect(turns).toBeGreaterThan(before + 5);
  });

  it('that fails is logged, and comes again', async () => {
    let turns = 0;
    await started(async () => {
      turns++;
      throw new Error('the store is away');
    });
    await vi.advanceTimersByTimeAsync(3 * ROUND_EVERY_MS);
    expect(turns).toBeGreaterThan(1);
    expect(logged).toContainEqual(expect.objectContaining({ level: 'error', job: 'sweep' }));
  });

  it('comes as often as it says, however often there is a round', async () => {
    const turns = { sweep: 0, seldom: 0 };
    const count = (name: keyof typeof turns) => async () => {
      turns[name]++;
    };
    await started(count('sweep'), { name: 'seldom', everyMs: 10_000, run: count('seldom') });
    await vi.advanceTimersByTimeAsync(40_500);
    expect(turns.sweep).toBeGreaterThanOrEqual(19);
    expect(turns.seldom).toBeGreaterThanOrEqual(4);
    expect(turns.seldom).toBeLessThanOrEqual(5);
  });

  it('is not begun any more once the replica stops', async () => {
    const { work, run } = longWork();
    await started(run);
    await vi.advanceTimersByTimeAsync(ROUND_EVERY_MS);
    await replicas[0]!.stop();
    work.letGo();
    await vi.advanceTimersByTimeAsync(5 * ROUND_EVERY_MS);
    expect(work).toMatchObject({ turns: 1, atOnce: 0 });
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

  it('costs all jobs of a round together a write for the lock and one for its end', async () => {
    const turns = [0, 0];
    const count = (n: 0 | 1) => async () => {
      turns[n]!++;
    };
    await started(count(0), { name: 'other', everyMs: ROUND_EVERY_MS, run: count(1) });
    await vi.advanceTimersByTimeAsync(20_500);
    expect(turns[0]).toBeGreaterThan(8);
    expect(turns[1]).toBe(turns[0]);
    expect(backend.writes.states).toBe(turns[0]);
    // The lock may be taken for a round that is still to come.
    expect(backend.writes.locks).toBeLessThanOrEqual(turns[0]! + 2);
  });
});

describe.each([
  ['ahead of', -30_000],
  ['behind', 30_000],
])('a replica whose machine is 30 s %s the store', (_what, ms) => {
  const adjusted: Clock = { ...systemClock, now: () => Date.now() + ms };
  const storeTime = (at: Date | null | undefined) => (at ? at.getTime() - adjusted.now() : undefined);

  it('makes its rounds on time', async () => {
    let turns = 0;
    await startedBy(adjusted, async () => {
      turns++;
    });
    await vi.advanceTimersByTimeAsync(10 * ROUND_EVERY_MS + 100);
    expect(turns).toBeGreaterThanOrEqual(9);
    expect(turns).toBeLessThanOrEqual(11);
    expect(logged).toEqual([]);
  });

  it('leaves its lock and the next round in the store’s time', async () => {
    const { work, run } = longWork();
    await startedBy(adjusted, run);
    await vi.advanceTimersByTimeAsync(3 * LOCK_LIFE_MS);
    expect(work.turns).toBe(1);
    expect(storeTime(backend.row?.lockedAt)).toBeGreaterThan(-LOCK_LIFE_MS);
    expect(storeTime(backend.row?.lockedAt)).toBeLessThanOrEqual(0);
    work.letGo();
    await vi.advanceTimersByTimeAsync(10);
    expect(storeTime(backend.row?.nextRunAt)).toBeLessThanOrEqual(ROUND_EVERY_MS);
    expect(logged).toEqual([]);
  });

  it('leaves the lock of another to it, and takes it over when that has grown too old', async () => {
    let turns = 0;
    await startedBy(adjusted, async () => {
      turns++;
    });
    await vi.advanceTimersByTimeAsync(ROUND_EVERY_MS + 100);
    backend.row = { ...backend.row!, lockedAt: new Date(adjusted.now() + ROUND_EVERY_MS) };
    const before = turns;
    await vi.advanceTimersByTimeAsync(LOCK_LIFE_MS);
    expect(turns).toBeLessThanOrEqual(before + 1);
    await vi.advanceTimersByTimeAsync(3 * LOCK_LIFE_MS);
    expect(turns).toBeGreaterThan(before + 3);
  });
});

describe('what older versions left', () => {
  it('is removed: each sweep had a job of its own once', async () => {
    await started(async () => {});
    expect(backend.removed).toEqual([{ notNames: ['round'] }]);
  });
});
