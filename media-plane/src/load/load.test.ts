import type { Clock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { silentLog } from '@voice/shared/log/log';
import { describe, expect, it } from 'vitest';
import { EventLoopLag } from './event-loop-lag.js';
import { Overload } from './overload.js';
import { watchLoad } from './watch-load.js';

/** Blocks the process so many times, for so long each; what was due meanwhile runs behind it. */
function stallEach(clock: ScriptedClock, blockedMs: number, times: number): void {
  for (let stall = 0; stall < times; stall++) {
    clock.jump(blockedMs);
    clock.advance(0);
  }
}

describe('the lag of the event loop', () => {
  it('is none while timers run in time', () => {
    const clock = new ScriptedClock();
    const lag = new EventLoopLag(clock, () => false);
    expect(lag.read()).toEqual({ p50Ms: 0, p99Ms: 0 });
    lag.start();
    clock.advance(10_000);
    expect(lag.read()).toEqual({ p50Ms: 0, p99Ms: 0 });
    lag.stop();
    expect(clock.pending).toBe(0);
  });

  it('is how late they run, and forgotten after five seconds', () => {
    const clock = new ScriptedClock();
    const lag = new EventLoopLag(clock, () => false);
    lag.start();
    clock.advance(2000);
    // Stalls of 60 ms, each at once: what was due meanwhile runs late.
    for (let stall = 0; stall < 3; stall++) {
      clock.jump(60);
      clock.advance(1000);
    }
    expect(lag.read()).toEqual({ p50Ms: 0, p99Ms: 40 });
    clock.advance(5000);
    expect(lag.read()).toEqual({ p50Ms: 0, p99Ms: 0 });
  });

  it('is forgotten after five seconds also when the calls that made it have ended', () => {
    const clock = new ScriptedClock();
    let isIdle = false;
    const lag = new EventLoopLag(clock, () => isIdle);
    lag.start();
    stallEach(clock, 50, 100);
    expect(lag.read()).toEqual({ p50Ms: 30, p99Ms: 30 });
    isIdle = true;
    clock.advance(5000);
    expect(lag.read()).toEqual({ p50Ms: 0, p99Ms: 0 });
  });

  it('is not shown by a lone late look of a worker that has just started, or on which nobody talks', () => {
    const clock = new ScriptedClock();
    let isIdle = true;
    const lag = new EventLoopLag(clock, () => isIdle);
    lag.start();
    // A collection of 140 ms, at its first look, and another a minute later.
    clock.jump(1140);
    clock.advance(0);
    expect(lag.read()).toEqual({ p50Ms: 140, p99Ms: 0 });
    clock.advance(60_000);
    clock.jump(1140);
    clock.advance(0);
    expect(lag.read()).toEqual({ p50Ms: 0, p99Ms: 0 });
    isIdle = false;
    clock.advance(1500);
    expect(lag.read()).toEqual({ p50Ms: 0, p99Ms: 0 });
  });

  it('is shown by looks that are late again and again, also while nobody talks', () => {
    const clock = new ScriptedClock();
    const lag = new EventLoopLag(clock, () => true);
    lag.start();
    stallEach(clock, 1030, 2);
    expect(lag.read().p99Ms).toBe(0);
    stallEach(clock, 1030, 1);
    expect(lag.read().p99Ms).toBe(30);
  });

  it('is shown by a process that hardly comes to look', () => {
    const clock = new ScriptedClock();
    const lag = new EventLoopLag(clock, () => false);
    lag.start();
    stallEach(clock, 3000, 2);
    expect(lag.read().p99Ms).toBe(2980);
  });

  it('is looked at once a second while nobody talks', () => {
    const clock = new ScriptedClock();
    let looks = 0;
    let isIdle = true;
    const counting: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
      schedule: (delayMs, task) => {
        looks++;
        return clock.schedule(delayMs, task);
      },
    };
    const lag = new EventLoopLag(counting, () => isIdle);
    lag.start();
    clock.advance(10_000);
    expect(looks).toBe(11);
    isIdle = false;
    clock.advance(2000);
    expect(looks).toBe(11 + 1 + 50);
    lag.stop();
  });
});

describe('an overload', () => {
  function judged(limitMs: number, lags: readonly number[]) {
    const clock = new ScriptedClock();
    const changes: boolean[] = [];
    let p99Ms = 0;
    const overload = new Overload({
      clock,
      lag: () => ({ p50Ms: 1, p99Ms }),
      limitMs,
      onChange: (isOverloaded) => changes.push(isOverloaded),
    });
    overload.start();
    const verdicts = lags.map((lag) => {
      p99Ms = lag;
      clock.advance(1000);
      return overload.isOverloaded;
    });
    overload.stop();
    expect(clock.pending).toBe(0);
    return { verdicts, changes };
  }

  it('begins above the limit and ends at half of it', () => {
    const { verdicts, changes } = judged(20, [5, 20, 21, 15, 11, 10, 15, 20]);
    expect(verdicts).toEqual([false, false, true, true, true, false, false, false]);
    expect(changes).toEqual([true, false]);
  });

  it('of a worker lasts as long as its loop is late, and five seconds', () => {
    const clock = new ScriptedClock();
    let isIdle = true;
    const load = watchLoad({ limitMs: 20, isIdle: () => isIdle, clock, log: silentLog });
    clock.advance(3000);
    // Its first call comes with a collection.
    isIdle = false;
    clock.jump(140);
    clock.advance(4000);
    expect(load.isOverloaded).toBe(false);
    stallEach(clock, 60, 50);
    expect(load.isOverloaded).toBe(true);
    isIdle = true;
    clock.advance(6000);
    expect(load.isOverloaded).toBe(false);
    load.stop();
    expect(clock.pending).toBe(0);
  });

  it('is never judged without a limit', () => {
    expect(judged(0, [50, 5000]).verdicts).toEqual([false, false]);
  });
});
