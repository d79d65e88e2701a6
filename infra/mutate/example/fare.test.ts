import { describe, expect, it } from 'vitest';
import { fare } from './fare.js';

describe('a fare', () => {
  it('begins at 3, at night at 5', () => {
    expect([fare(1, false), fare(1, true)]).toEqual([3, 5]);
  });

  it('rises by 1 for every further 2 km that begin', () => {
    expect([fare(2, false), fare(3, false), fare(4, false), fare(5, false)]).toEqual([3, 4, 4, 5]);
  });

  // Says nothing of the code of the error: that mutant lives.
  it('is none without a distance', () => {
    expect(() => fare(0, false)).toThrow();
  });
});
