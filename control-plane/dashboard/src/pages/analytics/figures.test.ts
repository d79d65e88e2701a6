import { describe, expect, it } from 'vitest';
import { callsSentence, costSentence, dailyFigures, statusShares, sumsOf } from './figures.js';

const day = (date: string, calls: number) => ({
  date,
  calls,
  answered: calls,
  completed: calls - 1,
  failed: 1,
  duration_ms: 1000,
  cost_usd: 0,
});
const cost = (total: number) => ({ stt: 0, llm: 0, tts: 0, carrier: 0, service: 0, total });
const OVERVIEW = { by_day: [day('2026-01-01', 5), day('2026-01-02', 1200), day('2026-01-03', 2)] };
const USAGE = {
  daily: [
    { date: '2026-01-02', minutes: 3, cost: cost(4.5) },
    { date: '2026-01-03', minutes: 1, cost: cost(0.5) },
  ],
};

describe('figures by day', () => {
  it('joins calls and usage of the last days by their date', () => {
    const days = dailyFigures(OVERVIEW, USAGE, 2);
    expect(days.map(({ date, calls, cost }) => [date, calls, cost])).toEqual([
      ['2026-01-02', 1200, 4.5],
      ['2026-01-03', 2, 0.5],
    ]);
    expect(dailyFigures(OVERVIEW, USAGE, 30)[0]).toMatchObject({ date: '2026-01-01', minutes: 0, cost: 0 });
    expect(sumsOf(days)).toEqual({
      calls: 1202,
      answered: 1202,
      completed: 1200,
      failed: 2,
      minutes: 4,
      cost: 5,
    });
  });

  it('are said in sentences', () => {
    const days = dailyFigures(OVERVIEW, USAGE, 3);
    expect(callsSentence(days)).toBe('1,207 calls in 3 days, 1,207 answered. The most on 2026-01-02: 1,200.');
    expect(costSentence(days)).toBe('$5.00 in 3 days. The most on 2026-01-02: $4.50.');
    expect(callsSentence([])).toBe('0 calls in 0 days, 0 answered.');
    expect(costSentence([])).toBe('$0.00 in 0 days.');
  });
});

it('lists the statuses that occur, the most frequent first', () => {
  const none = { QUEUED: 0, RINGING: 0, IN_PROGRESS: 0, FAILED: 0, NO_ANSWER: 0, VOICEMAIL: 0 };
  expect(statusShares({ ...none, BUSY: 1, COMPLETED: 3 })).toEqual([
    { name: 'Completed', calls: 3, share: 0.75 },
    { name: 'Busy', calls: 1, share: 0.25 },
  ]);
});
