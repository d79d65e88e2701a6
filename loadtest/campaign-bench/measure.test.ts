import { describe, expect, it } from 'vitest';
import { type MeasuredCall, measure, mostAtOnce } from './measure.js';

const call = (contactId: string, queuedAt: number, endedAt: number): MeasuredCall => ({
  contactId,
  queuedAt,
  endedAt,
  status: 'COMPLETED',
});

describe('what the campaign bench measures', () => {
  it('counts calls that are live at the same moment', () => {
    expect(mostAtOnce([call('a', 0, 10), call('b', 5, 15), call('c', 10, 20)])).toBe(2);
    expect(mostAtOnce([])).toBe(0);
  });

  it('measures the rate, its deviation, and who was called twice', () => {
    const calls = [call('a', 0, 1), call('b', 1000, 1001), call('a', 2000, 2001)];
    expect(measure(calls, { perMinute: 50 })).toEqual({
      calls: 3,
      perMinute: 60,
      deviation: expect.closeTo(0.2),
      mostAtOnce: 1,
      calledTwice: 1,
      byStatus: { COMPLETED: 3 },
    });
  });
});
