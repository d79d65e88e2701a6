import { describe, expect, it } from 'vitest';
import type { Trends } from '../../api/types.js';
import { agentShares, callsSentence, costSentence, latencySentence, statusShares } from './figures.js';

const NONE = { calls: 0, answered: 0, completed: 0, failed: 0, duration_ms: 0, cost_usd: 0 };
const NOT_MEASURED = { turns: 0, p50: null, p95: null, p99: null };
const figures = (start: string, own: Partial<Trends['buckets'][number]>) => ({
  start,
  end: start,
  ...NONE,
  response_latency_ms: NOT_MEASURED,
  ...own,
});
const measured = (p95: number) => ({ turns: 4, p50: 640, p95, p99: 2410 });
const period = (bucket: 'day' | 'week' | 'month') => ({
  start: '2026-01-05',
  end: '2026-01-18',
  days: 14,
  bucket,
});
const TRENDS = {
  period: period('week'),
  totals: { ...NONE, calls: 1205, answered: 1100, cost_usd: 5, live: 0 },
  response_latency_ms: { turns: 1204, p50: 640, p95: 1240, p99: 2410 },
  buckets: [
    figures('2026-01-05', { calls: 5, cost_usd: 4.5, response_latency_ms: measured(1900) }),
    figures('2026-01-12', { calls: 1200, cost_usd: 0.5, response_latency_ms: measured(1200) }),
  ],
};

describe('charts', () => {
  it('are said in sentences', () => {
    expect(callsSentence(TRENDS)).toBe(
      '1,205 calls in 14 days, 1,100 answered. The most in the week of 2026-01-12: 1,200.',
    );
    expect(costSentence({ ...TRENDS, period: period('day') })).toBe(
      '$5.00 in 14 days. The most on 2026-01-05: $4.50.',
    );
    expect(latencySentence({ ...TRENDS, period: period('month') })).toBe(
      'Half of 1,204 answers came within 640 ms, 95 of 100 within 1.24 s, 99 of 100 within 2.41 s. ' +
        'Slowest in 2026-01: p95 1.90 s.',
    );
  });

  it('are said in sentences where there is nothing', () => {
    const nothing = {
      period: { ...period('day'), days: 1 },
      totals: { ...NONE, live: 0 },
      response_latency_ms: NOT_MEASURED,
      buckets: [figures('2026-01-05', {})],
    };
    expect(callsSentence(nothing)).toBe('0 calls in 1 day, 0 answered.');
    expect(costSentence(nothing)).toBe('$0.00 in 1 day.');
    expect(latencySentence(nothing)).toBe('No answer of an agent was measured.');
  });
});

describe('agents', () => {
  const agent = (agent_id: string, own: Partial<Trends['by_agent'][number]>) => ({
    agent_id,
    name: agent_id,
    ...NONE,
    ...own,
  });
  it('have their share of the cost, and what a minute of theirs costs', () => {
    const by_agent = [
      agent('a', { calls: 1, cost_usd: 3, duration_ms: 120_000 }),
      agent('b', { calls: 3, cost_usd: 1 }),
    ];
    expect(agentShares({ totals: { ...NONE, calls: 4, cost_usd: 4, live: 0 }, by_agent })).toMatchObject([
      { agent_id: 'a', share: 0.75, costPerMinute: 1.5 },
      { agent_id: 'b', share: 0.25, costPerMinute: null },
    ]);
  });

  it('have their share of the calls where these cost nothing, as in the sandbox', () => {
    const by_agent = [agent('a', { calls: 3 }), agent('b', { calls: 1 })];
    expect(
      agentShares({ totals: { ...NONE, calls: 4, live: 0 }, by_agent }).map(({ share }) => share),
    ).toEqual([0.75, 0.25]);
  });
});

it('lists the statuses that occur, the most frequent first', () => {
  const none = { QUEUED: 0, RINGING: 0, IN_PROGRESS: 0, FAILED: 0, NO_ANSWER: 0, VOICEMAIL: 0 };
  expect(statusShares({ ...none, BUSY: 1, COMPLETED: 3 })).toEqual([
    { name: 'Completed', calls: 3, share: 0.75 },
    { name: 'Busy', calls: 1, share: 0.25 },
  ]);
});
