import type { Clock } from '@voice/shared/clock/clock';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { FrameTicker } from './ticker.js';

/** Gives a clock whose timers fire late. */
function lateClock(clock: ScriptedClock, lateMs: number): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    schedule: (delayMs, task) => clock.schedule(delayMs + lateMs, task),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
}

describe('the frame ticker', () => {
  it('ticks every 20 ms without drifting, also when its timer is late', () => {
    const clock = new ScriptedClock();
    let ticks = 0;
    new FrameTicker(lateClock(clock, 7)).subscribe(() => ticks++);
    clock.advance(10_007);
    expect(ticks).toBe(500);
  });

  it('makes up for a pause, but not for a long one', () => {
    const clock = new ScriptedClock();
    let ticks = 0;
    let late = 0;
    const ticker = new FrameTicker({
      ...lateClock(clock, 0),
      schedule: (delayMs, task) => clock.schedule(delayMs + late, task),
    });
    ticker.subscribe(() => ticks++);
    late = 200;
    clock.advance(20);
    late = 0;
    clock.advance(480);
    expect(ticks).toBe(25);
    late = 30_000;
    clock.advance(20);
    late = 0;
    clock.advance(30_480);
    expect(ticks).toBeLessThan(60);
  });

  it('keeps no timer without subscribers, and starts again', () => {
    const clock = new ScriptedClock();
    const ticker = new FrameTicker(clock);
    let ticks = 0;
    const stop = ticker.subscribe(() => {
      ticks++;
      if (ticks === 3) stop();
    });
    clock.advance(1000);
    expect(ticks).toBe(3);
    expect(clock.pending).toBe(0);
    const stopAgain = ticker.subscribe(() => ticks++);
    clock.advance(100);
    expect(ticks).toBe(8);
    stopAgain();
    expect(clock.pending).toBe(0);
  });

  it('serves who subscribes or leaves in the middle of a tick', () => {
    const clock = new ScriptedClock();
    const ticker = new FrameTicker(clock);
    const seen: string[] = [];
    const leave = ticker.subscribe(() => {
      seen.push('a');
      leave();
      ticker.subscribe(() => seen.push('b'));
    });
    clock.advance(60);
    expect(seen).toEqual(['a', 'b', 'b']);
    expect(clock.pending).toBe(1);
  });
});
