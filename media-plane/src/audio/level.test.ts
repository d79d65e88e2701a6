import { describe, expect, it } from 'vitest';
import { levelDb, peakDb, SILENT_DB } from './level.js';
import { mixInto } from './mixing.js';

const sine = (amplitude: number) =>
  Int16Array.from({ length: 800 }, (_, n) => amplitude * Math.sin((2 * Math.PI * 100 * n) / 8000));

describe('levels', () => {
  it('of a full-scale sine are -3 dB in the mean and 0 dB at the peak', () => {
    expect(levelDb(sine(32_767))).toBeCloseTo(-3.01, 1);
    expect(peakDb(sine(32_767))).toBeCloseTo(0, 2);
  });

  it('fall by 20 dB with a tenth of the amplitude', () => {
    expect(levelDb(sine(20_000)) - levelDb(sine(2000))).toBeCloseTo(20, 1);
    expect(peakDb(sine(20_000)) - peakDb(sine(2000))).toBeCloseTo(20, 1);
  });

  it('of digital silence are the least there is', () => {
    expect([levelDb(new Int16Array(160)), peakDb(new Int16Array(160))]).toEqual([SILENT_DB, SILENT_DB]);
    expect(peakDb(Int16Array.of(1))).toBeGreaterThan(SILENT_DB);
  });

  it('know the loudest negative sample', () => {
    expect(peakDb(Int16Array.of(-32_768))).toBe(0);
  });
});

describe('mixing', () => {
  it('adds, and clips what is too loud', () => {
    const target = Int16Array.of(1, 30_000, -30_000, 5);
    expect([...mixInto(target, Int16Array.of(2, 30_000, -30_000))]).toEqual([3, 32_767, -32_768, 5]);
  });
});
