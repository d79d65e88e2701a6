import { describe, expect, it } from 'vitest';
import { type InsightEvidence, insightsByStatistics, type LowQualityCall } from './insights-by-statistics.js';

const NOTHING: InsightEvidence = { lowQuality: [], failed: [], scores: [], analysed: 40, ended: 50 };
const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
const bad = (callId: string, changes: Partial<LowQualityCall> = {}): LowQualityCall => ({
  callId,
  outcome: null,
  sentiment: 'neutral',
  durationSeconds: 90,
  endReason: 'agent_hangup',
  ...changes,
});

describe('insights by statistics', () => {
  it('name the most frequent causes of failure, with their calls and what to do', () => {
    const failed = [
      ...ids('media', 15).map((callId) => ({
        callId,
        endReason: 'carrier_failed' as const,
        errorCode: 'media_stream_missing',
      })),
      ...ids('full', 2).map((callId) => ({ callId, endReason: 'no_capacity' as const, errorCode: null })),
    ];
    expect(insightsByStatistics({ ...NOTHING, failed })).toEqual([
      {
        title: '15 calls failed: media stream missing',
        description: '15 of 50 calls (30 %) failed with “media_stream_missing”.',
        recommendation: "Check the carrier's account and the number that is called from.",
        severity: 'high',
        call_ids: ids('media', 15),
      },
      expect.objectContaining({
        title: '2 calls failed: no capacity',
        recommendation: expect.stringContaining('max_concurrent'),
        severity: 'low',
        call_ids: ['full0', 'full1'],
      }),
    ]);
  });

  it('name the criteria of the scorecard that are missed, the most missed first', () => {
    const scores = ids('c', 10).flatMap((callId, n) => [
      { callId, criterion: 'Greeting', score: 1 },
      { callId, criterion: 'Price', score: n < 2 ? 0 : 0.8 },
      { callId, criterion: 'Date', score: n < 6 ? 0.2 : 0.9 },
    ]);
    const insights = insightsByStatistics({ ...NOTHING, scores });
    expect(insights.map(({ title, severity }) => [title, severity])).toEqual([
      ['“Date” is missed in 6 of 10 calls', 'high'],
      ['“Price” is missed in 2 of 10 calls', 'medium'],
    ]);
    expect(insights[0]).toMatchObject({
      description: expect.stringContaining('its mean is 0.48'),
      call_ids: ids('c', 6),
    });
  });

  it('show where callers drop out, how badly calls end, and who is annoyed', () => {
    const lowQuality = [
      ...ids('early', 5).map((id) => bad(id, { endReason: 'caller_hangup', durationSeconds: 14.9 })),
      ...ids('late', 3).map((id) => bad(id, { endReason: 'caller_hangup', durationSeconds: 60 })),
      ...ids('angry', 4).map((id) => bad(id, { sentiment: 'negative', outcome: 'lost' })),
    ];
    expect(insightsByStatistics({ ...NOTHING, lowQuality }).map(({ title }) => title)).toEqual([
      '5 callers hang up within 15 seconds',
      '4 low-quality calls end as “lost”',
      '4 callers are annoyed',
      '3 callers hang up after a minute or more',
    ]);
  });

  it('take one call for no pattern, and invent none where nothing went badly', () => {
    expect(insightsByStatistics(NOTHING)).toEqual([]);
    expect(insightsByStatistics({ ...NOTHING, lowQuality: [bad('c', { outcome: 'lost' })] })).toEqual([]);
  });

  it('are ten at most, with 20 example calls each', () => {
    const failed = ids('cause', 12).flatMap((errorCode) =>
      ids(errorCode, 25).map((callId) => ({ callId, endReason: 'provider_failed' as const, errorCode })),
    );
    const insights = insightsByStatistics({ ...NOTHING, failed, ended: 300 });
    expect(insights).toHaveLength(10);
    for (const { call_ids: calls } of insights) expect(calls).toHaveLength(20);
  });
});
