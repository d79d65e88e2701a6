import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { addProcessMetrics, loopLag } from './process-metrics.js';

const MS = 1e6;

describe('the lag of the event loop', () => {
  it('is how late samples were, without the pause between them', () => {
    const samples = {
      count: 50,
      min: 99.9 * MS,
      max: 420 * MS,
      mean: 112 * MS,
      stddev: 40 * MS,
      percentile: (share: number) => (share === 50 ? 100.1 * MS : 400 * MS),
    };
    const figures = (['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'] as const).map((figure) =>
      Number(loopLag(samples, figure).toFixed(4)),
    );
    expect(figures).toEqual([0, 0.32, 0.012, 0.04, 0.0001, 0.3, 0.3]);
  });

  it('is none before the first sample', async () => {
    const metrics = new Registry();
    addProcessMetrics(metrics);
    const lines = (await metrics.metrics()).split('\n');
    const lags = lines.filter((line) => /^nodejs_eventloop_lag_\w+_seconds /.test(line));
    expect(lags.map((line) => line.split(' ')[1])).toEqual(['0', '0', '0', '0', '0', '0', '0']);
  });
});
