import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placementOrder } from './placement-order.js';

const fixed =
  (...numbers: number[]) =>
  () =>
    numbers.shift() ?? 0;

describe('whom to ask for a place', () => {
  it('asks the freer of two random workers first', () => {
    const workers = [
      { id: 'a', free: 1 },
      { id: 'b', free: 9 },
      { id: 'c', free: 50 },
    ];
    expect(placementOrder(workers, fixed(0, 0)).map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  });

  it('asks every worker once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: fc.uuid(), free: fc.nat() })),
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (workers, numbers) => {
          const order = placementOrder(workers, fixed(...numbers));
          expect(order).toHaveLength(workers.length);
          expect(new Set(order)).toEqual(new Set(workers));
        },
      ),
    );
  });

  it('asks the tenant’s region before any other, and the freer of two there first', () => {
    const workers = [
      { id: 'far', free: 90, region: 'us' },
      { id: 'near', free: 1, region: 'eu' },
      { id: 'nowhere', free: 90 },
      { id: 'nearer', free: 2, region: 'eu' },
    ];
    const order = (region: string | null) =>
      placementOrder(workers, fixed(0, 0, 0, 0), region).map(({ id }) => id);
    expect(order('eu')).toEqual(['nearer', 'near', 'far', 'nowhere']);
    expect(order('asia')).toEqual(order(null));
  });

  it('spreads the first choice over all but the fullest worker', () => {
    const workers = [1, 2, 3, 4].map((free) => ({ free }));
    const first = new Set(Array.from({ length: 200 }, () => placementOrder(workers, Math.random)[0]?.free));
    expect(first).toEqual(new Set([2, 3, 4]));
  });
});
