import { describe, expect, it } from 'vitest';
import { ValidationError } from '../platform/http/validation.js';
import { bucketsOf, rangeOf } from './range.js';

const NOW = Date.parse('2026-03-05T12:00:00Z');

describe('a range of days', () => {
  it('is the last 30 days, today counted, where nothing is asked for', () => {
    expect(rangeOf({}, NOW)).toEqual({ start: '2026-02-04', end: '2026-03-05' });
    expect(rangeOf({ end: '2026-01-31' }, NOW)).toEqual({ start: '2026-01-02', end: '2026-01-31' });
    expect(rangeOf({ start: '2025-06-01' }, NOW)).toEqual({ start: '2025-06-01', end: '2026-03-05' });
  });

  it.each([
    [{ start: '2026-03-06' }, /not after 2026-03-05, got 2026-03-06/],
    [{ start: '2025-03-04' }, /at most 366 days up to 2026-03-05, got 367/],
  ])('is refused as %j', (query, message) => {
    let refused: unknown;
    try {
      rangeOf(query, NOW);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(ValidationError);
    expect((refused as ValidationError).detail[0]?.msg).toMatch(message);
  });

  it('may be a leap year', () => {
    expect(bucketsOf(rangeOf({ start: '2024-01-01', end: '2024-12-31' }, NOW), 'day').size).toBe(366);
  });
});

describe('buckets', () => {
  const range = { start: '2026-02-25', end: '2026-03-03' };
  it.each([
    ['day', 7, ['2026-02-25', { start: '2026-02-25', end: '2026-02-25' }]],
    // The first is cut off by the range: it began on a Monday.
    ['week', 2, ['2026-02-23', { start: '2026-02-25', end: '2026-03-01' }]],
    ['month', 2, ['2026-02-01', { start: '2026-02-25', end: '2026-02-28' }]],
  ] as const)('of a %s are whole, but for what is out of the range', (bucket, count, first) => {
    const buckets = [...bucketsOf(range, bucket)];
    expect(buckets).toHaveLength(count);
    expect(buckets[0]).toEqual(first);
    expect(buckets.at(-1)?.[1].end).toBe('2026-03-03');
  });
});
