import { describe, expect, it } from 'vitest';
import { levelDb, SILENT_DB } from './level.js';

const sine = (amplitude: number) =>
  Int16Array.from({ length: 800 }, (_, n) => amplitude * Math.sin((2 * Math.PI * 100 * n) / 8000));

describe('levels', () => {
  it('of a full-scale sine are -3 dB', () => {
    expect(levelDb(sine(32_767))).toBeCloseTo(-3.01, 1);
  });

  it('fall by 20 dB with a tenth of the amplitude', () => {
    expect(levelDb(sine(20_000)) - levelDb(sine(2000))).toBeCloseTo(20, 1);
  });

  it('of digital silence are the least there is', () => {
    expect(levelDb(new Int16Array(160))).toBe(SILENT_DB);
    expect(levelDb(Int16Array.of(1))).toBeGreaterThan(SILENT_DB);
  });
});
