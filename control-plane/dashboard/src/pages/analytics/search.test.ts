import { describe, expect, it } from 'vitest';
import { analyticsSearch, rangeOf } from './search.js';

const NOW = Date.UTC(2026, 10, 22, 23, 59);

describe('the range of the page', () => {
  it.each([
    [{}, { from: '2026-10-24', to: '2026-11-22', bucket: 'day' }],
    [{ days: 7 }, { from: '2026-11-16', to: '2026-11-22', bucket: 'day' }],
    [{ days: 365 }, { from: '2025-11-23', to: '2026-11-22', bucket: 'week' }],
    [
      { days: 365, by: 'month' },
      { from: '2025-11-23', to: '2026-11-22', bucket: 'month' },
    ],
    [
      { from: '2026-01-01', to: '2026-01-31', days: 7 },
      { from: '2026-01-01', to: '2026-01-31', bucket: 'day' },
    ],
    // What is no range is left out of the address.
    [
      { days: 8, from: 'yesterday', by: 'hour' },
      { from: '2026-10-24', to: '2026-11-22', bucket: 'day' },
    ],
  ])('%j is %j', (search, range) => expect(rangeOf(analyticsSearch.parse(search), NOW)).toEqual(range));
});
