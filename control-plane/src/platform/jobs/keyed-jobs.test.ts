import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureIndexes, startTestStore, type TestStore } from '../../testing/store.js';
import { NEVER_BEGINS_MS } from './held-job.js';
import { STAND_BACK_MS } from './job-agenda.js';
import { LEASE_MS } from './job-rows.js';
import { KeyedJobs, SCAN_EVERY_MS } from './keyed-jobs.js';
import {
  LEASE,
  NEVER,
  type ScheduledJob,
  type ScheduledJobModel,
  scheduledJobModel,
} from './scheduled-job-model.js';

let store: TestStore;
let model: ScheduledJobModel;
let clock: ScriptedClock;
let replicas: KeyedJobs[];
/** The names that were announced. */
let notified: string[];
let warned: string[];

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  model = scheduledJobModel(connection);
  await ensureIndexes(connection);
});
beforeEach(async () => {
  for (const replica of replicas ?? []) await replica.stop();
  await model.deleteMany({});
  clock = new ScriptedClock();
  [replicas, notified, warned] = [[], [], []];
});
afterAll(() => store?.close());

function replica(): KeyedJobs {
  const jobs = new KeyedJobs({
    jobs: model,
    names: new Set(['sort', 'other']),
    clock,
    log: { ...silentLog, warn: (_fields, message) => warned.push(message) },
    notify: (name) => notified.push(name),
  });
  jobs.start();
  replicas.push(jobs);
  return jobs;
}
const row = (key: string, name = 'sort') => model.findById(`${name}:${key}`).lean<ScheduledJob>();
/** Locks the next job of a replica whose timers and scans have come. */
const next = async (jobs: KeyedJobs, name = 'sort') => (await jobs.next(name))?.locked.key;
/** Lets a replica scan once more. */
const scanLater = () => clock.advance(SCAN_EVERY_MS);

describe('a job', () => {
  it('is announced and locked at its time, by the replica that scheduled it at once', async () => {
    const a = replica();
    await a.schedule('sort', 'now', clock.now());
    expect(await next(a)).toBe('now');
    await a.schedule('sort', 'soon', clock.now() + 1500);
    expect(await next(a)).toBeUndefined();
    notified = [];
    clock.advance(1499);
    expect(notified).toEqual([]);
    clock.advance(1);
    expect(notified).toContain('sort');
    expect(await next(a)).toBe('soon');
    expect(a.held.get('sort:soon')?.dueAt).toBe(clock.now());
  });

  it('that is due in hours costs nothing until it is, and is then found by any replica', async () => {
    const [a, b] = [replica(), replica()];
    await a.schedule('sort', 'later', clock.now() + 3_600_000);
    a.stop();
    clock.jump(3_600_000 - 1000);
    expect(await next(b)).toBeUndefined();
    clock.advance(1000 + STAND_BACK_MS);
    expect(await next(b)).toBe('later');
  });

  it('is run by one replica, first by the one that ran it last', async () => {
    const [a, b] = [replica(), replica()];
    await a.schedule('sort', 'x', clock.now());
    expect(await next(a)).toBe('x');
    await a.release('sort:x', clock.now() + 1000);
    await next(b);
    clock.advance(1000);
    expect(await next(b)).toBeUndefined();
    expect(await next(a)).toBe('x');
    scanLater();
    expect(await next(b)).toBeUndefined();
    await a.release('sort:x', clock.now() + SCAN_EVERY_MS + 500);
    scanLater();
    expect(await next(b)).toBeUndefined();
    clock.advance(500 + STAND_BACK_MS - 1);
    expect(await next(b)).toBeUndefined();
    clock.advance(1);
    expect(await next(b)).toBe('x');
    expect(await next(a)).toBeUndefined();
  });

  it('is wanted at the earliest of the times for which it was scheduled', async () => {
    const a = replica();
    for (const inMs of [5000, 3000, 4000]) await a.schedule('sort', 'x', clock.now() + inMs);
    expect((await row('x'))?.due_at).toEqual(new Date(clock.now() + 3000));
  });

  it('that is dropped before it begins is run by another, though its holder lives and runs others', async () => {
    const [a, b] = [replica(), replica()];
    await a.schedule('sort', 'begins', clock.now());
    await a.schedule('sort', 'is dropped', clock.now());
    await next(a);
    await next(a);
    a.held.get('sort:begins')?.begin();
    const live = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 1500) {
        clock.advance(1500);
        await a.touch();
        await a.tidy();
      }
    };
    await live(NEVER_BEGINS_MS);
    expect([...a.held.keys()].sort()).toEqual(['sort:begins', 'sort:is dropped']);
    await live(1500);
    expect([...a.held.keys()]).toEqual(['sort:begins']);
    expect(warned).toEqual(['a job was dropped before it began, and is released']);
    a.stop();
    scanLater();
    expect(await next(b)).toBe('is dropped');
  });

  it('that was dropped is wanted in the store again, not of a run that is none', async () => {
    const a = replica();
    await a.schedule('sort', 'x', clock.now());
    await next(a);
    clock.advance(NEVER_BEGINS_MS + 1);
    await a.tidy();
    await a.schedule('sort', 'x', clock.now());
    expect(await next(a)).toBe('x');
  });

  it('begins once', async () => {
    const a = replica();
    await a.schedule('sort', 'x', clock.now());
    const job = await a.next('sort');
    expect([job?.begin(), job?.begin()]).toEqual([true, false]);
  });

  it('is gone when its run wants it no more', async () => {
    const a = replica();
    await a.schedule('sort', 'x', clock.now());
    await next(a);
    await a.release('sort:x', null);
    expect(await row('x')).toBeNull();
  });

  it.each([
    ['by the replica that runs it', 0],
    ['by another one', 1],
  ])('that is wanted %s while it runs is run again after it', async (_by, wanting) => {
    const both = [replica(), replica()];
    const [a] = both;
    await a!.schedule('sort', 'x', clock.now());
    await next(a!);
    await both[wanting]!.schedule('sort', 'x', clock.now());
    await a!.release('sort:x', null);
    scanLater();
    expect(await next(a!)).toBe('x');
  });

  it('that rests is woken by what another replica wants, within one scan', async () => {
    const [a, b] = [replica(), replica()];
    await a.schedule('sort', 'x', clock.now());
    await next(a);
    let woken = false;
    void a.held
      .get('sort:x')!
      .rest(60_000)
      .then(() => {
        woken = true;
      });
    await b.schedule('sort', 'x', clock.now());
    scanLater();
    await next(a);
    expect(woken).toBe(true);
    expect((await row('x'))?.due_at).toEqual(NEVER);
  });

  it('is ensured where there is none, and left alone where there is one', async () => {
    const a = replica();
    await a.schedule('sort', 'known', clock.now() + 5000);
    await a.ensure('sort', ['known', 'missing']);
    await a.ensure('sort', ['known', 'missing']);
    expect((await row('known'))?.due_at).toEqual(new Date(clock.now() + 5000));
    expect((await row('missing'))?.due_at).toEqual(new Date(clock.now()));
  });
});

describe('the lease of a replica', () => {
  it('is over when the replica dies: its jobs are taken over together', async () => {
    const [dead, heir] = [replica(), replica()];
    for (let n = 0; n < 250; n++) await dead.schedule('sort', `${n}`, clock.now());
    for (let n = 0; n < 250; n++) await next(dead);
    expect(await next(heir)).toBeUndefined();
    clock.jump(LEASE_MS - 1);
    expect(await next(heir)).toBeUndefined();
    clock.jump(SCAN_EVERY_MS);
    const taken = new Set<string | undefined>();
    for (let n = 0; n < 250; n++) taken.add(await next(heir));
    expect(taken.size).toBe(250);
    expect(warned).toEqual(['the jobs of a replica that died are taken over']);
  });

  it('stands while it is touched, and one touch holds all of its jobs', async () => {
    const [a, b] = [replica(), replica()];
    for (const key of ['x', 'y']) await a.schedule('sort', key, clock.now());
    for (const _key of ['x', 'y']) await next(a);
    for (let ms = 0; ms < 3 * LEASE_MS; ms += 2000) {
      clock.advance(2000);
      await a.touch();
      expect(await next(b)).toBeUndefined();
    }
    expect(await model.countDocuments({ name: LEASE })).toBe(1);
  });

  it('that was lost ends the runs, whose end takes no lock off that another replica has', async () => {
    const [a, b] = [replica(), replica()];
    await a.schedule('sort', 'x', clock.now());
    await next(a);
    const run = a.held.get('sort:x')!;
    clock.jump(LEASE_MS + SCAN_EVERY_MS);
    expect(await next(b)).toBe('x');
    await a.touch();
    expect(run.signal.aborted).toBe(true);
    await a.release('sort:x', clock.now());
    const { holder, due_at } = (await row('x'))!;
    expect([holder === null, due_at]).toEqual([false, NEVER]);
    // It may hold jobs again, under another name.
    await a.schedule('sort', 'y', clock.now());
    expect(await next(a)).toBe('y');
  });

  it('ends with the last job, and a stop gives all jobs up', async () => {
    const [a, b] = [replica(), replica()];
    await a.schedule('sort', 'x', clock.now());
    await next(a);
    await a.tidy();
    expect(await model.countDocuments({ name: LEASE })).toBe(1);
    await a.stop();
    expect(a.held.get('sort:x')?.signal.aborted).toBe(true);
    await a.release('sort:x', clock.now());
    await a.tidy();
    expect(await model.countDocuments({ name: LEASE })).toBe(0);
    expect(await next(b)).toBe('x');
  });
});

describe('a replica that stops leaves to others at once', () => {
  it.each([
    [
      'what it was about to lock',
      async (a: KeyedJobs, want: () => Promise<void>) => {
        await want();
        await a.stop();
      },
    ],
    [
      'what it wants after its stop',
      async (a: KeyedJobs, want: () => Promise<void>) => {
        await a.stop();
        await want();
      },
    ],
    [
      'what it is scheduling',
      async (a: KeyedJobs, want: () => Promise<void>) => {
        await Promise.all([want(), a.stop()]);
      },
    ],
    [
      'what it ran last, and wants earlier now',
      async (a: KeyedJobs, want: () => Promise<void>) => {
        await want();
        await next(a);
        await a.release('sort:x', clock.now() + 3_600_000);
        await a.stop();
        await want();
      },
    ],
  ])('%s', async (_what, leave) => {
    const [a, b] = [replica(), replica()];
    await leave(a, () => a.schedule('sort', 'x', clock.now()));
    expect(await next(b)).toBe('x');
  });
});

describe('a store that fails', () => {
  it('leaves no job locked for ever', async () => {
    const a = replica();
    await a.schedule('sort', 'x', clock.now());
    await next(a);
    const { bulkWrite } = model.collection;
    model.collection.bulkWrite = () => Promise.reject(new Error('away'));
    await expect(a.release('sort:x', clock.now())).rejects.toThrow('away');
    model.collection.bulkWrite = bulkWrite;
    await a.tidy();
    scanLater();
    expect(await next(a)).toBe('x');
  });
});

describe('ten thousand jobs', () => {
  it('of which none is due cost one command each scan', async () => {
    const a = replica();
    const due = new Date(clock.now() + 3_600_000);
    await model.collection.insertMany(
      Array.from({ length: 10_000 }, (_, n) => ({
        _id: `sort:${n}`,
        name: 'sort',
        key: `${n}`,
        due_at: due,
        holder: null,
        lock: null,
        locked_at: null,
        last_holder: null,
      })) as never[],
    );
    let finds = 0;
    const { find } = model.collection;
    model.collection.find = ((...args: Parameters<typeof find>) => {
      finds++;
      return find.apply(model.collection, args);
    }) as typeof find;
    for (let n = 0; n < 5; n++) {
      expect([await next(a), await next(a, 'other')]).toEqual([undefined, undefined]);
      scanLater();
    }
    model.collection.find = find;
    expect(finds).toBe(5);
  });
});
