import { END_REASONS } from '@voice/shared/contracts/primitives';
import { describe, expect, it } from 'vitest';
import { exportedMetrics } from '../../testing/exported-metrics.js';

describe('the metrics of a replica', () => {
  it('can be read while the store is away; what only the store knows is no number', async () => {
    const lines = (await exportedMetrics().metrics()).split('\n');
    expect(lines).toEqual(expect.arrayContaining(['worker_free_places Nan', 'campaign_places_wanted Nan']));
    expect(lines.some((line) => line.startsWith('nodejs_eventloop_lag_p99_seconds '))).toBe(true);
  });

  it('begin at nothing where an alert watches for the first of its kind: from no series there is no increase', async () => {
    const lines = (await exportedMetrics().metrics()).split('\n');
    for (const reason of END_REASONS) {
      const series = lines.filter(
        (line) => line.startsWith('calls_ended_total{') && line.includes(`"${reason}"`),
      );
      expect(series.length, reason).toBeGreaterThan(0);
      expect(series.filter((line) => !line.endsWith(' 0'))).toEqual([]);
    }
    expect(lines).toEqual(
      expect.arrayContaining([
        'calls_ended_total{status="FAILED",end_reason="worker_lost"} 0',
        'billing_meter_events_total{outcome="expired"} 0',
        'billing_meter_events_total{outcome="failed"} 0',
      ]),
    );
  });
});
