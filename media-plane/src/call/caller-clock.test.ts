import { describe, expect, it } from 'vitest';
import { CallerClock } from './caller-clock.js';

describe("the clock of the caller's audio", () => {
  it('counts from the frame that came soonest, though the first ones were late', () => {
    const clock = new CallerClock();
    // A burst of frames that waited for 110 ms, then one every 20 ms.
    expect([0, 20, 40, 60, 80, 100].map((at) => clock.place(at, 130))).toEqual([
      110, 110, 110, 110, 110, 110,
    ]);
    expect(clock.place(120, 150)).toBe(130);
    expect(clock.place(1000, 1030)).toBe(1010);
  });

  it('does not move with frames that are late afterwards', () => {
    const clock = new CallerClock();
    expect(clock.place(0, 25)).toBe(5);
    expect(clock.place(20, 400)).toBe(25);
    expect(clock.place(40, 401)).toBe(45);
  });

  it('places what the line heard before the call began before its beginning', () => {
    const clock = new CallerClock();
    expect(clock.place(0, 3)).toBe(-17);
    expect(clock.place(20, 23)).toBe(3);
  });
});
