import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { FrameTicker, frameTickerOf } from './frame-ticker.js';

function line() {
  const ticks: number[] = [];
  return { ticks, onTick: (nowMs: number) => void ticks.push(nowMs) };
}

describe('the frame ticker', () => {
  it('serves every line every 20 ms with one timer, spread over the time of a frame', () => {
    const clock = new ScriptedClock();
    const ticker = new FrameTicker(clock);
    const lines = Array.from({ length: 10 }, line);
    for (const one of lines) ticker.add(one);
    expect(clock.pending).toBe(1);
    clock.advance(1000);
    for (const { ticks } of lines) {
      expect(ticks.length).toBe(50);
      expect(ticks.every((at, n) => at === ticks[0]! + 20 * n)).toBe(true);
    }
    for (const first of [5, 10, 15, 20]) {
      expect(lines.filter(({ ticks }) => ticks[0] === first).length).toBeGreaterThanOrEqual(2);
    }
  });

  it('serves a line soon after its audio is due', () => {
    const clock = new ScriptedClock();
    const ticker = new FrameTicker(clock);
    const start = clock.monotonic();
    const lines = [12, 13, 31, 5012].map((dueMs) => ({ ...line(), dueAt: start + dueMs }));
    for (const one of lines) ticker.add(one, one.dueAt);
    clock.advance(1000);
    for (const { ticks, dueAt } of lines) {
      const laterMs = (((ticks[0]! - dueAt) % 20) + 20) % 20;
      expect(laterMs).toBeLessThanOrEqual(5);
      expect(ticks.length).toBeGreaterThanOrEqual(49);
    }
  });

  it('stands still without lines, and is one for each clock', () => {
    const clock = new ScriptedClock();
    const [ticker, one] = [frameTickerOf(clock), line()];
    expect(frameTickerOf(clock)).toBe(ticker);
    expect(clock.pending).toBe(0);
    ticker.add(one);
    ticker.add(one);
    clock.advance(100);
    ticker.remove(one);
    expect(clock.pending).toBe(0);
    clock.advance(100);
    expect(one.ticks.length).toBe(5);
  });

  it('makes up for a stall at 50 frames a second, after sleep only for the last second', () => {
    const clock = new ScriptedClock();
    const [ticker, one] = [new FrameTicker(clock), line()];
    ticker.add(one);
    clock.advance(200);
    clock.jump(300);
    clock.advance(500);
    expect(one.ticks.length).toBe(50);
    clock.jump(3_600_000);
    clock.advance(0);
    expect(one.ticks.length).toBeLessThanOrEqual(101);
    const before = one.ticks.length;
    clock.advance(1000);
    expect(one.ticks.length).toBeLessThanOrEqual(before + 51);
    expect(one.ticks.length).toBeGreaterThanOrEqual(before + 50);
  });

  it('lets what came during a stall in before it serves the frames of that time', () => {
    const clock = new ScriptedClock();
    const [ticker, one] = [new FrameTicker(clock), line()];
    ticker.add(one);
    clock.advance(200);
    const before = one.ticks.length;
    let onArrival = -1;
    // Sockets are read after the timers that were due.
    clock.schedule(100, () => {
      onArrival = one.ticks.length;
    });
    clock.jump(100);
    clock.advance(0);
    expect([onArrival, one.ticks.length]).toEqual([before, before + 5]);
  });

  it('serves the others when one fails, and does not hide the failure', () => {
    const clock = new ScriptedClock();
    const [ticker, one] = [new FrameTicker(clock), line()];
    const failing = {
      onTick() {
        throw new Error('of a line');
      },
    };
    ticker.add(failing);
    ticker.add(line());
    ticker.add(one);
    expect(() => clock.advance(10)).toThrow('of a line');
    ticker.remove(failing);
    clock.advance(990);
    expect(one.ticks.length).toBe(50);
  });
});
