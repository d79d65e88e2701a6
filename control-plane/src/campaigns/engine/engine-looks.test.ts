import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CampaignModel } from '../model.js';
import { CampaignEngine, TICK_MS } from './engine.js';

let clock: ScriptedClock;
let active: string[];
/** When each campaign was looked at, in ms since the start. */
let looks: [string, number][];
let sweeps: number[];
let look: (id: string) => Promise<number>;
let find: () => Promise<void>;
let errors: string[];
let workSettled: boolean;
let engine: CampaignEngine;

beforeEach(() => {
  clock = new ScriptedClock();
  [active, looks, sweeps, errors, workSettled] = [['a'], [], [], [], false];
  look = async () => 0;
  find = async () => {};
  const campaigns = {
    find: (filter: object) => ({
      lean: async () => {
        expect(filter).toEqual({ active: true });
        await find();
        return active.map((_id) => ({ _id }));
      },
    }),
  };
  engine = new CampaignEngine({
    campaigns: campaigns as unknown as CampaignModel,
    work: {
      look: (id) => {
        looks.push([id, clock.monotonic()]);
        return look(id);
      },
      settled: async () => {
        workSettled = true;
      },
    },
    creation: { sweep: async () => void sweeps.push(clock.monotonic()) },
    clock,
    log: { ...silentLog, error: (_fields, message) => errors.push(message) },
  });
});
afterEach(async () => {
  const stopping = engine.stop();
  await clock.advanceAsync(1000, 100);
  await stopping;
});

/** Starts the engine; its first looks are under way. */
async function start(): Promise<void> {
  engine.start();
  await new Promise((resolve) => setImmediate(resolve));
}

const looksAt = (id: string) => looks.filter(([of]) => of === id).map(([, at]) => at);

describe('the engine', () => {
  it('looks at every active campaign every 200 ms', async () => {
    active = ['a', 'b'];
    await start();
    await clock.advanceAsync(450);
    expect(TICK_MS).toBe(200);
    expect([looksAt('a'), looksAt('b')]).toEqual([
      [0, 200, 400],
      [0, 200, 400],
    ]);
  });

  it('leaves a campaign alone for as long as its look says', async () => {
    active = ['a', 'b'];
    look = async (id) => (id === 'a' ? 400 : 0);
    await start();
    await clock.advanceAsync(850);
    expect([looksAt('a'), looksAt('b')]).toEqual([
      [0, 400, 800],
      [0, 200, 400, 600, 800],
    ]);
  });

  it('looks at all of them at once when it is woken', async () => {
    look = async () => 60_000;
    await start();
    await clock.advanceAsync(110);
    engine.wake();
    await new Promise((resolve) => setImmediate(resolve));
    expect(looksAt('a')).toEqual([0, 110]);
  });

  it('forgets how long a campaign was to be left alone when it has nothing to do any more', async () => {
    look = async () => 60_000;
    await start();
    active = [];
    await clock.advanceAsync(3000);
    active = ['a'];
    await clock.advanceAsync(3000);
    expect(looksAt('a')).toEqual([0, 6000]);
  });

  it.each([
    ['nothing is active', [], 0, [0, 3000, 6000]],
    ['nothing is due for long', ['a'], 60_000, [0, 3000, 6000]],
    ['something is due before', ['a'], 700, [0, 700, 1400]],
    ['something is due at once', ['a'], 0, [0, 200, 400]],
  ])('asks what is active as often as it must where %s', async (_where, campaigns, rest, times) => {
    const askedAt: number[] = [];
    [active, look] = [campaigns, async () => rest];
    find = async () => void askedAt.push(clock.monotonic());
    await start();
    await clock.advanceAsync(times.at(-1)!);
    expect(askedAt).toEqual(times);
  });

  it('looks at eight campaigns side by side', async () => {
    active = Array.from({ length: 20 }, (_, n) => `c${n}`);
    let [underWay, most] = [0, 0];
    look = async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      return 0;
    };
    await start();
    await clock.advanceAsync(100);
    expect([looks.length, most]).toEqual([20, 8]);
  });

  it.each([
    [100, 200],
    [180, 230],
    [300, 350],
  ])('that took %i ms begins anew after %i ms', async (tookMs, nextAt) => {
    look = async () => {
      await clock.sleep(tookMs);
      return 0;
    };
    await start();
    await clock.advanceAsync(nextAt + 50, 10);
    expect(looksAt('a').slice(0, 2)).toEqual([0, nextAt]);
  });

  it('goes on after a campaign that fails, and after a store that does', async () => {
    active = ['a', 'b'];
    look = async (id) => {
      if (id === 'a') throw new Error('no');
      return 0;
    };
    await start();
    await clock.advanceAsync(20);
    expect(errors).toEqual(['a campaign could not be looked at']);
    find = async () => {
      throw new Error('away');
    };
    await clock.advanceAsync(200);
    expect(errors.at(-1)).toBe('the campaigns could not be looked at');
    find = async () => {};
    await clock.advanceAsync(200);
    expect([looksAt('a'), looksAt('b')]).toEqual([
      [0, 400],
      [0, 400],
    ]);
  });

  it('sweeps at its start and every minute', async () => {
    await start();
    await clock.advanceAsync(120_300, 100);
    expect(sweeps).toEqual([0, 60_000, 120_000]);
  });

  it('looks no more once it is stopped, and waits for what is under way', async () => {
    let finish = () => {};
    look = () =>
      new Promise((resolve) => {
        finish = () => resolve(0);
      });
    await start();
    await clock.advanceAsync(20);
    let stopped = false;
    const stopping = engine.stop().then(() => {
      stopped = true;
    });
    await clock.advanceAsync(20);
    expect([stopped, workSettled]).toEqual([false, false]);
    finish();
    await stopping;
    expect(workSettled).toBe(true);
    await clock.advanceAsync(1000);
    expect(looksAt('a')).toEqual([0]);
  });

  it('stops at once while it rests', async () => {
    await start();
    await clock.advanceAsync(20);
    await engine.stop();
    expect(clock.pending).toBe(0);
  });
});
