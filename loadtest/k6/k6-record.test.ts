import { describe, expect, it } from 'vitest';
import { readK6Record } from './k6-record.js';
import { crossedIn, unmeasuredIn } from './k6-run.js';
import { type Part, planLoad } from './plan.js';

/** As k6's dashboard output writes it: values in the order of the metrics' names, of those known so far. */
const RECORD = `{"event":"param","data":{"aggregates":{"counter":["count","rate"],"gauge":["value"],"rate":["rate"],"trend":["avg","max","med","min","p(90)","p(95)","p(99)"]}}}
{"event":"metric","data":{"time":{"type":"gauge","contains":"time"}}}
{"event":"start","data":[[1000]]}
{"event":"metric","data":{"media_calls":{"type":"counter"},"rest_read_ms":{"type":"trend","contains":"time"}}}
{"event":"snapshot","data":[[3,1.5],[5,9,4,1,8,8.5,9],[3000]]}
{"event":"metric","data":{"campaign_failed":{"type":"rate"}}}
{"event":"snapshot","data":[[0.5],[2,1],[],[5000]]}
{"event":"cumulative","data":[[0.5],[5,1.2],[5,9,4,1,8,8.5,9],[5000]]}
{"event":"snap`;

describe('the record of k6', () => {
  it('gives each metric its aggregates by period, also where metrics appear later', () => {
    const record = readK6Record(RECORD);
    expect(record.get('media_calls')?.points).toEqual([
      { at: 3000, values: { count: 3, rate: 1.5 } },
      { at: 5000, values: { count: 2, rate: 1 } },
    ]);
    expect(record.get('rest_read_ms')?.points).toEqual([
      { at: 3000, values: expect.objectContaining({ med: 4, 'p(95)': 8.5, 'p(99)': 9 }) },
    ]);
    expect(record.get('campaign_failed')?.total).toEqual({ rate: 0.5 });
    expect(record.get('media_calls')?.total).toEqual({ count: 5, rate: 1.2 });
  });

  it('is empty before k6 has written anything', () => {
    expect(readK6Record('').size).toBe(0);
  });
});

describe('the thresholds of k6', () => {
  it('are named where they were crossed', () => {
    const summary = {
      metrics: {
        rest_failed: { thresholds: { 'rate==0': true } },
        media_added_ms: { thresholds: { 'p(95)<150': false } },
        vus: {},
      },
    };
    expect(crossedIn(JSON.stringify(summary))).toEqual(['rest_failed: rate==0']);
  });

  const DONE = `{"event":"param","data":{"aggregates":{"counter":["count","rate"],"gauge":["value"],"rate":["rate"],"trend":["avg"]}}}
{"event":"metric","data":{"time":{"type":"gauge","contains":"time"}}}
{"event":"metric","data":{"media_added_ms":{"type":"trend","contains":"time"},"media_early_share":{"type":"rate"}}}
{"event":"snapshot","data":[[20],[0],[3000]]}`;
  const unmeasured = (record: string, { callSeconds = 60, parts = ['media'] as Part[], scale = 1 } = {}) =>
    unmeasuredIn(
      readK6Record(record),
      planLoad({ scenario: 'load', parts, seconds: 60, scale }),
      callSeconds,
    );

  it('are crossed where a metric has no samples, but for counters', () => {
    expect(unmeasured('')).toEqual([
      'media_added_ms: no samples',
      'media_barge_in_ms: no samples',
      'media_early_share: no samples',
    ]);
    expect(unmeasured(DONE)).toEqual(['media_barge_in_ms: no samples']);
    expect(unmeasured('', { parts: ['campaigns'] })).toEqual([
      'campaign_failed: no samples',
      'campaign_duration_ms: no samples',
    ]);
  });

  it('ask for an interruption only where the calls are long or many enough for one', () => {
    expect(unmeasured(DONE, { callSeconds: 20 })).toEqual(['media_barge_in_ms: no samples']);
    expect(unmeasured(DONE, { callSeconds: 20, scale: 0.05 })).toEqual([]);
    expect(unmeasured(DONE, { callSeconds: 10 })).toEqual([]);
  });

  it('ask for nothing where the plan holds the system to nothing', () => {
    const plan = planLoad({ scenario: 'stress', parts: ['media'], scale: 1 });
    expect(unmeasuredIn(readK6Record(''), plan, 60)).toEqual([]);
  });
});
