import { describe, expect, it } from 'vitest';
import { exportedMetrics } from '../../testing/exported-metrics.js';

describe('the metrics of a replica', () => {
  it('can be read while the store is away; what only the store knows is no number', async () => {
    const lines = (await exportedMetrics().metrics()).split('\n');
    expect(lines).toEqual(expect.arrayContaining(['worker_free_places Nan', 'campaign_places_wanted Nan']));
    expect(lines.some((line) => line.startsWith('nodejs_eventloop_lag_p99_seconds '))).toBe(true);
  });
});
