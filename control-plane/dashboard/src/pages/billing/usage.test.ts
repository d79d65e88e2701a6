import { describe, expect, it } from 'vitest';
import { barsOf, capShare, costParts, minutesText } from './usage.js';

const COST = { stt: 0.1, llm: 0.3, tts: 0, carrier: 0.4, service: 0.2, total: 1 };
const day = (minutes: number) => ({ date: '2026-11-22', calls: 1, answered_calls: 1, minutes, cost: COST });

describe('the cost of a month', () => {
  it('is shown by its parts, the largest first', () => {
    expect(costParts(COST).map(({ name, share }) => [name, share])).toEqual([
      ['Carrier', 0.4],
      ['Language model', 0.3],
      ['Service', 0.2],
      ['Speech to text', 0.1],
    ]);
  });

  it('of nothing has no parts', () => {
    expect(costParts({ stt: 0, llm: 0, tts: 0, carrier: 0, service: 0, total: 0 })).toEqual([]);
  });
});

it.each([
  [null, 5, null],
  [10, 2.5, 0.25],
  [10, 12, 1],
  [0, 0, 1],
])('of a daily cap of %s USD, %s spent is %s', (limit_usd, spent_usd, share) =>
  expect(capShare({ limit_usd, spent_usd })).toBe(share),
);

it('draws each day against the busiest', () => {
  expect(barsOf([day(5), day(0), day(10)]).map(({ height }) => height)).toEqual([0.5, 0, 1]);
  expect(barsOf([day(0)])[0]?.height).toBe(0);
});

it('shows minutes', () => expect(minutesText(1204.53)).toBe('1,204.5 min'));
