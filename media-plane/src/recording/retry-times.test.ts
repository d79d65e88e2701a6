import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { expect, it } from 'vitest';
import { RetryTimes } from './retry-times.js';

it('waits longer after each failure of an item, up to a limit, and begins anew once it is done', () => {
  const clock = new ScriptedClock();
  const times = new RetryTimes({ clock, firstMs: 500, maxMs: 1500 });
  const waits = [1, 2, 3, 4].map(() => {
    times.failed('a');
    const waitMs = times.untilDue(['a']);
    clock.advance(waitMs - 1);
    expect(times.isDue('a')).toBe(false);
    clock.advance(1);
    expect(times.isDue('a')).toBe(true);
    return waitMs;
  });
  expect(waits).toEqual([500, 1000, 1500, 1500]);
  times.done('a');
  times.failed('a');
  expect(times.untilDue(['a'])).toBe(500);
});

it('knows when the first of several is due: at once where one never failed, or is overdue', () => {
  const clock = new ScriptedClock();
  const times = new RetryTimes({ clock, firstMs: 500, maxMs: 1500 });
  times.failed('a');
  clock.advance(200);
  times.failed('b');
  expect(times.untilDue(['a', 'b'])).toBe(300);
  expect(times.untilDue(['a', 'b', 'c'])).toBe(0);
  clock.advance(400);
  expect(times.untilDue(['a', 'b'])).toBe(0);
});
