import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentile } from '../../calls/record/call-record.js';
import { binOf, percentileOf } from './histogram.js';
import { addedUp } from './sums.js';

const values = fc.array(fc.double({ min: 0, max: 120_000, noNaN: true }), { maxLength: 40 });
const histogram = (all: readonly number[]) => addedUp(all.map((value) => ({ [`ms|${binOf(value)}`]: 1 })));

describe('a histogram', () => {
  it('has each value in a bin that begins less than 0.8 % below it', () => {
    expect([0, 0.5, 1, 255, 256, 257, 500, 848, 850].map(binOf)).toEqual([
      0, 0, 1, 255, 256, 256, 500, 848, 848,
    ]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (value) => {
        const bin = binOf(value);
        expect(bin).toBeLessThanOrEqual(value);
        expect(Math.floor(value) - bin).toBeLessThanOrEqual(value / 128);
      }),
    );
  });

  it('has the percentiles of its values, also when it is merged of several', () => {
    fc.assert(
      fc.property(values, values, fc.constantFrom(0.5, 0.95, 1), (one, other, share) => {
        const exact = percentile([...one, ...other], share);
        const found = percentileOf(addedUp([histogram(one), histogram(other)]), 'ms|', share);
        expect(found).toBe(exact === null ? null : binOf(exact));
      }),
    );
  });
});
