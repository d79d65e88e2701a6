import { describe, expect, it } from 'vitest';
import { Pacer } from './pacer.js';

describe('the pace of batches', () => {
  const pace = { burst: 3, everyMs: 100 };

  it('lets a burst go at once, and then one in each interval', () => {
    const pacer = new Pacer(pace);
    expect([0, 0, 0].map((at) => pacer.pauseBefore(at))).toEqual([0, 0, 0]);
    expect(pacer.pauseBefore(0)).toBe(100);
    expect(pacer.pauseBefore(100)).toBe(100);
    expect(pacer.pauseBefore(250)).toBe(50);
  });

  it('does not hold up what comes no faster than the interval', () => {
    const pacer = new Pacer(pace);
    for (let at = 0; at < 5000; at += 100) expect(pacer.pauseBefore(at)).toBe(0);
  });

  it('saves up one burst, however long nothing came', () => {
    const pacer = new Pacer(pace);
    pacer.pauseBefore(0);
    expect([9000, 9000, 9000].map((at) => pacer.pauseBefore(at))).toEqual([0, 0, 0]);
    expect(pacer.pauseBefore(9000)).toBe(100);
  });
});
