import type { Clock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { EventLoopLag } from './event-loop-lag.js';
import { Overload } from './overload.js';

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

  it('is never judged without a limit', () => {
    expect(judged(0, [50, 5000]).verdicts).toEqual([false, false]);
  });
});
