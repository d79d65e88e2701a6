import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HeldJob } from '../../platform/jobs/held-job.js';
import type { CampaignModel } from '../model.js';
import { CampaignEngine } from './engine.js';
import { HOLD_MS, LinesWatch, TICK_MS } from './lines-watch.js';

let clock: ScriptedClock;
/** When each campaign was looked at, in ms since the start, and until when it had rested. */
let looks: [string, number, number | undefined][];
let look: (id: string) => Promise<number | null>;
let active: string[];
/** When active campaigns were changed, in epoch ms; long ago by default. */
let changedAt: Record<string, number>;
let ensured: (readonly string[])[];
let scheduled: [string, number][];
let schedule: () => Promise<void>;
let sweeps: number;
let errors: string[];
let warnings: string[];
let engine: CampaignEngine;
/** The jobs that run, and what each has returned. */
let jobs: Map<string, HeldJob>;
let ended: Map<string, number | null>;

beforeEach(() => {
  clock = new ScriptedClock();
  [looks, active, ensured, scheduled, sweeps, errors, warnings] = [[], [], [], [], 0, [], []];
  [jobs, ended, changedAt] = [new Map(), new Map(), {}];
  [look, schedule] = [async () => clock.now(), async () => {}];
  engine = new CampaignEngine({
    campaigns: {
      find: (filter: object) => {
        expect(filter).toEqual({ active: true });
        return {
          lean: async () => active.map((_id) => ({ _id, updated_at: new Date(changedAt[_id] ?? 0) })),
        };
      },
    } as unknown as CampaignModel,
    work: {
      look: (id, restedUntil) => {
        looks.push([id, clock.monotonic(), restedUntil]);
        return look(id);
      },
      settled: async () => {},
    },
    creation: { sweep: async () => void sweeps++ },
    clock,
    log: {
      ...silentLog,
      error: (_fields, message) => errors.push(message),
      warn: (_fields, message) => warnings.push(message),
    },
  });
  engine.job.bind({
    schedule: async (_name, key, at) => {
      await schedule();
      scheduled.push([key, at]);
    },
    ensure: async (_name, keys) => void ensured.push(keys),
  });
});
afterEach(async () => {
  for (const job of jobs.values()) job.end('the test is over');
  await clock.advanceAsync(400);
  expect(clock.pending).toBe(0);
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Runs the job of a campaign as its replica does; its first look is under way. */
async function run(id: string): Promise<void> {
  const locked = { id, name: 'campaigns', key: id, lock: 'a lock', dueAt: clock.now() };
  const job = new HeldJob(locked, clock);
  jobs.set(id, job);
  void engine.job.run(id, job).then((at) => ended.set(id, at));
  await settled();
}
const looksAt = (id: string) => looks.filter(([of]) => of === id).map(([, at]) => at);

describe('the job of a campaign', () => {
  it('looks at it every 200 ms while something may be due', async () => {
    await run('a');
    await clock.advanceAsync(450, 10);
    expect(TICK_MS).toBe(200);
    expect(looksAt('a')).toEqual([0, 200, 400]);
  });

  it('leaves it alone for as long as its look says, where that is not long', async () => {
    look = async () => clock.now() + HOLD_MS;
    await run('a');
    await clock.advanceAsync(4100, 50);
    expect(looksAt('a')).toEqual([0, 2000, 4000]);
    expect(ended.size).toBe(0);
  });

  it.each([
    ['nothing is due for long', HOLD_MS + 1],
    ['nothing is left to do', null],
  ])('ends where %s', async (_where, inMs) => {
    const at = inMs === null ? null : clock.now() + inMs;
    look = async () => at;
    await run('a');
    expect(ended.get('a')).toBe(at);
  });

  it('looks at the time that its look said, though the machine slept in the middle of that', async () => {
    const at = clock.now() + 3_600_000;
    look = async () => {
      clock.jump(3_600_000 - 1000);
      return at;
    };
    await run('a');
    look = async () => null;
    await clock.advanceAsync(1000, 50);
    expect(looksAt('a')).toEqual([0, 3_600_000]);
  });

  it('looks at once when it is wanted meanwhile, but not more than twenty times a second', async () => {
    look = async () => clock.now() + HOLD_MS;
    await run('a');
    for (let ms = 0; ms < 300; ms += 10) {
      jobs.get('a')!.want(clock.now());
      await clock.advanceAsync(10, 10);
    }
    expect(looksAt('a')).toEqual([0, 50, 100, 150, 200, 250, 300]);
  });

  it('says at its first look until when the campaign has rested', async () => {
    await run('a');
    await clock.advanceAsync(200, 10);
    expect(looks.map(([, , restedUntil]) => restedUntil)).toEqual([clock.now() - 200, undefined]);
  });

  it.each([
    [100, 200],
    [180, 230],
    [300, 350],
  ])('that took %i ms for a look begins anew after %i ms', async (tookMs, nextAt) => {
    look = async () => {
      await clock.sleep(tookMs);
      return clock.now();
    };
    await run('a');
    await clock.advanceAsync(nextAt + 50, 10);
    expect(looksAt('a').slice(0, 2)).toEqual([0, nextAt]);
  });

  it('goes on after a look that failed', async () => {
    look = async () => {
      throw new Error('no');
    };
    await run('a');
    expect(errors).toEqual(['a campaign’s next calls could not be chosen']);
    look = async () => null;
    await clock.advanceAsync(1000, 50);
    expect(looksAt('a')).toEqual([0, 1000]);
  });

  it('looks no more once it is to end, and is wanted again at once', async () => {
    look = async () => clock.now() + HOLD_MS;
    await run('a');
    await clock.advanceAsync(100, 10);
    jobs.get('a')!.end('the replica stops');
    await settled();
    expect(ended.get('a')).toBe(clock.now());
    expect(looksAt('a')).toEqual([0]);
  });
});

describe('the engine', () => {
  it('looks at 32 campaigns side by side', async () => {
    let [underWay, most] = [0, 0];
    look = async () => {
      most = Math.max(most, ++underWay);
      await settled();
      underWay--;
      return null;
    };
    for (let n = 0; n < 50; n++) await Promise.race([run(`c${n}`), Promise.resolve()]);
    for (let n = 0; n < 10; n++) await settled();
    expect([looks.length, most]).toEqual([50, 32]);
  });

  it('schedules a campaign that is woken, and again every ten seconds where that fails', async () => {
    await engine.wake('a');
    expect(scheduled).toEqual([['a', clock.now()]]);
    schedule = () => Promise.reject(new Error('the store is away'));
    await engine.wake('b');
    await engine.wake('c');
    await clock.advanceAsync(10_000, 1000);
    expect(warnings).toEqual(Array(4).fill('a campaign could not be scheduled'));
    schedule = async () => {};
    await clock.advanceAsync(30_000, 1000);
    expect(scheduled.slice(1).map(([id]) => id)).toEqual(['b', 'c']);
  });

  it('schedules nothing again once it has stopped', async () => {
    schedule = () => Promise.reject(new Error('the store is away'));
    await engine.wake('a');
    await engine.stop();
    await engine.wake('b');
    expect(clock.pending).toBe(0);
  });

  it('has its sweep schedule now what was changed lately, once: its job may be known for tomorrow', async () => {
    const [sweep] = engine.sweeps;
    active = ['scheduled for tomorrow, and started', 'left alone'];
    changedAt = { [active[0]!]: clock.now(), [active[1]!]: clock.now() - 3 * 60_000 };
    await sweep!.run();
    expect(scheduled).toEqual([[active[0], clock.now()]]);
    clock.advance(60_000);
    await sweep!.run();
    expect(scheduled).toHaveLength(1);
    changedAt[active[0]!] = clock.now();
    await sweep!.run();
    expect(scheduled.slice(1)).toEqual([[active[0], clock.now()]]);
  });

  it('finds active campaigns without a job, as older versions left them, and unfinished creations', async () => {
    active = Array.from({ length: 2500 }, (_, n) => `c${n}`);
    const [sweep] = engine.sweeps;
    await sweep!.run();
    expect(sweep!.everyMs).toBe(60_000);
    expect([sweeps, ensured.map((ids) => ids.length), ensured.flat()]).toEqual([
      1,
      [1000, 1000, 500],
      active,
    ]);
  });
});

describe('how often lines in use are looked at', () => {
  it('is five times a second for few campaigns, and forty looks a second for all of many', () => {
    const lines = new LinesWatch();
    expect(lines.restMs()).toBe(200);
    for (let n = 0; n < 400; n++) lines.note(`c${n}`, true, 0);
    expect(lines.restMs()).toBe(10_000);
    for (let n = 0; n < 396; n++) lines.note(`c${n}`, false, 1000);
    expect(lines.restMs()).toBe(200);
  });

  it('is by those that were looked at here in the last minutes', () => {
    const lines = new LinesWatch();
    for (let n = 0; n < 400; n++) lines.note(`c${n}`, true, 0);
    lines.note('c0', true, 120_000);
    expect(lines.restMs()).toBe(200);
  });
});
