import { describe, expect, it } from 'vitest';
import { rowByKey, withRow } from './row-keys.js';

describe('rowByKey', () => {
  it('goes from row to row and stops at both ends', () => {
    expect(['ArrowDown', 'j'].map((key) => rowByKey(key, 3, 10))).toEqual([4, 4]);
    expect(['ArrowUp', 'k'].map((key) => rowByKey(key, 3, 10))).toEqual([2, 2]);
    expect(rowByKey('ArrowUp', 0, 10)).toBe(0);
    expect(rowByKey('ArrowDown', 9, 10)).toBe(9);
  });

  it('goes to the first row and to the last, whether or not one has the focus', () => {
    expect([-1, 5].map((at) => rowByKey('Home', at, 10))).toEqual([0, 0]);
    expect([-1, 5].map((at) => rowByKey('End', at, 10))).toEqual([9, 9]);
  });

  it('leads nowhere by another key, or without rows', () => {
    expect(rowByKey('a', 3, 10)).toBeNull();
    expect(rowByKey('End', -1, 0)).toBeNull();
  });
});

describe('withRow', () => {
  it('keeps a row that scrolled out of sight, in order', () => {
    expect(withRow([4, 5, 6], 1)).toEqual([1, 4, 5, 6]);
    expect(withRow([4, 5, 6], 9)).toEqual([4, 5, 6, 9]);
  });

  it('adds nothing where the row is in sight, or there is none', () => {
    expect(withRow([4, 5, 6], 5)).toEqual([4, 5, 6]);
    expect(withRow([4, 5, 6], -1)).toEqual([4, 5, 6]);
  });
});
