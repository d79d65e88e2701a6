import { describe, expect, it } from 'vitest';
import { divideCores } from './own-core.js';

describe('a core of the worker’s own', () => {
  it('is the first that may be used; all else gets the others', () => {
    expect(divideCores('0-1')).toEqual({ worker: 0, others: [1] });
    expect(divideCores('2,4-6')).toEqual({ worker: 2, others: [4, 5, 6] });
  });

  it('is refused where there is one core for all', () => {
    expect(() => divideCores('3')).toThrow('expected two processors or more');
  });
});
