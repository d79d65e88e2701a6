import { describe, expect, it } from 'vitest';
import { jitterOf } from './jitter.js';
import { slopeOf } from './slope.js';

describe('the slope', () => {
  it('is that of the line through the points', () => {
    expect(
      slopeOf([
        [0, 1],
        [1, 3],
        [2, 5],
      ]),
    ).toBeCloseTo(2);
  });

  it('is none of what goes up and down, or of too little', () => {
    expect(
      slopeOf([
        [0, 1],
        [1, 5],
        [2, 5],
        [3, 1],
      ]),
    ).toBeCloseTo(0);
    expect(slopeOf([[0, 7]])).toBe(0);
    expect(slopeOf([])).toBe(0);
  });
});

describe('jitter', () => {
  it('is the distance from 20 ms', () => {
    expect([jitterOf(20), jitterOf(25), jitterOf(14)]).toEqual([0, 5, 6]);
  });

  it('is not counted at the beginning of a turn, nor between two', () => {
    expect([jitterOf(1), jitterOf(900)]).toEqual([undefined, undefined]);
  });

  it('is the distance less what the message before it lasts, where frames come together', () => {
    expect([jitterOf(60, 60), jitterOf(75, 60), jitterOf(60, 180)]).toEqual([0, 15, undefined]);
  });
});
