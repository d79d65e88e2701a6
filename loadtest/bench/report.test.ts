import { describe, expect, it } from 'vitest';
import { noSamples } from './caller.js';
import { IDEAL_RESPONSE_MS } from './fixed-delays.js';
import { percentiles, scenarioReport, table } from './report.js';

describe('percentiles', () => {
  it('are values that were measured (nearest rank)', () => {
    expect(percentiles([4, 1, 3, 2])).toEqual({ count: 4, p50: 2, p95: 4, p99: 4 });
  });

  it('of nothing are nothing', () => {
    expect(percentiles([])).toEqual({ count: 0, p50: null, p95: null, p99: null });
  });
});

describe('the report', () => {
  const report = (calls: number, latency: number, cpuPerCall: number) =>
    scenarioReport(
      {
        calls,
        samples: { ...noSamples(), responses: [latency] },
        metrics: [],
        cpuPerCall,
        memoryPerCall: 2e6,
        benchLateness: 1,
      },
      { roundTrips: [0.5], cpuPerCall: 1 },
    );

  it('takes the fixed delays off the response latency', () => {
    expect(report(1, IDEAL_RESPONSE_MS + 42, 5).runtime_added_ms.p50).toBe(42);
  });

  it('sets each scenario against the first', () => {
    const lines = table([report(1, 800, 5), report(50, 1600, 10)]).split('\n');
    expect(lines[0]).toMatch(/1 call\s+50 calls\s+ratio/);
    expect(lines.find((line) => line.startsWith('response latency p50'))).toMatch(/800\s+1600\s+×2\.00/);
    expect(lines.find((line) => line.startsWith('CPU per call'))).toMatch(/×2\.00/);
  });
});
