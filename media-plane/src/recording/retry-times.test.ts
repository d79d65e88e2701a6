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

it('begins with one that never failed, then with the one that is due first', () => {
  const clock = new ScriptedClock();
  const times = new RetryTimes({ clock, firstMs: 500, maxMs: 1500 });
  expect(times.first([])).toBeUndefined();
  times.failed('a');
  clock.advance(200);
  times.failed('b');
  expect(times.first(['b', 'a', 'c'])).toBe('c');
  expect(times.first(['b', 'a'])).toBe('a');
});

it('puts what is postponed behind the others, and lets it wait no longer each time', () => {
  const clock = new ScriptedClock();
  const times = new RetryTimes({ clock, firstMs: 500, maxMs: 1500 });
  times.postponed('a');
  clock.advance(200);
  times.failed('b');
  times.postponed('a');
  expect(times.untilDue(['a'])).toBe(500);
  clock.advance(100);
  times.postponed('a');
  expect(times.first(['a', 'b'])).toBe('b');
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
