import { describe, expect, it } from 'vitest';
import { noSamples } from './caller.js';
import { IDEAL_RESPONSE_MS } from './fixed-delays.js';
import { type Measured, percentiles, scenarioReport, table } from './report.js';
import { idealResponseMs, MULAW_CASCADE, type Subject } from './subject.js';

describe('percentiles', () => {
  it('are values that were measured (nearest rank)', () => {
    expect(percentiles([4, 1, 3, 2])).toEqual({ count: 4, p50: 2, p95: 4, p99: 4 });
  });

  it('of nothing are nothing', () => {
    expect(percentiles([])).toEqual({ count: 0, p50: null, p95: null, p99: null });
  });
});

describe('the report', () => {
  const measured = (
    calls: number,
    latency: number,
    cpuPerCall: number,
    subject = MULAW_CASCADE,
  ): Measured => ({
    result: {
      subject,
      calls,
      samples: { ...noSamples(), responses: [latency] },
      metrics: [],
      jitter: [0.5, 3],
      idleCpu: 4,
      idleCpuAfter: 6,
      cpuPerCall,
      cpuPerCallLater: cpuPerCall * 1.25,
      mediasoupPerCall: 0,
      memoryPerCall: 2e6,
      memorySlope: 5e5,
      memorySlopeLater: 2e5,
      benchLateness: 1,
    },
    echo: { roundTrips: [0.5], cpuPerCall: 1 },
    mouthToEar:
      subject.line === 'webrtc'
        ? { delays: [55], cpuPerCall: 3, mediasoupPerCall: 1, benchLateness: 2 }
        : undefined,
  });
  const report = (...args: Parameters<typeof measured>) => scenarioReport(measured(...args));

  it('takes the fixed delays off the response latency', () => {
    expect(report(1, IDEAL_RESPONSE_MS + 42, 5).runtime_added_ms.p50).toBe(42);
  });

  it('sets each scenario against the first', () => {
    const lines = table([report(1, 800, 5), report(50, 1600, 10)]).split('\n');
    expect(lines[0]).toMatch(/1 call\s+50 calls\s+ratio/);
    expect(lines.find((line) => line.startsWith('response latency p50'))).toMatch(/800\s+1600\s+×2\.00/);
    expect(lines.find((line) => line.startsWith('CPU per call (ms a second)'))).toMatch(/×2\.00/);
    expect(lines.find((line) => line.startsWith('CPU per call, second half'))).toMatch(/6\.25\s+12\.50/);
  });

  it('has the jitter of the frames, what an idle worker takes and how memory grows', () => {
    const lines = table([report(1, 800, 5)]).split('\n');
    const of = (name: string) => lines.find((line) => line.startsWith(name));
    expect(of('jitter of the agent’s frames p99 (ms)')).toMatch(/3\.0$/);
    expect(of('CPU of the worker before calls (% of a core)')).toMatch(/0\.40$/);
    expect(of('CPU of the worker after calls (% of a core)')).toMatch(/0\.60$/);
    expect(of('memory of the worker, growth (MB a minute)')).toMatch(/0\.5$/);
    expect(of('the same in the second half of the time')).toMatch(/0\.2$/);
  });

  it('counts the frames that came when the carrier had played all, and the longest silence', () => {
    const of = (late: number[]) =>
      scenarioReport({
        ...measured(1, 800, 5),
        result: { ...measured(1, 800, 5).result, samples: { ...noSamples(), late } },
      });
    expect(of([])).toMatchObject({ late_frames: 0, longest_gap_ms: 0 });
    expect(of([12, 40])).toMatchObject({ late_frames: 2, longest_gap_ms: 40 });
  });

  it('sets another line or pipeline against the cascade with as many calls', () => {
    const realtime: Subject = { line: 'mulaw', pipeline: 'openai' };
    const lines = table([
      report(1, 760, 5),
      report(1, idealResponseMs(realtime) + 5, 20, realtime),
      report(50, 770, 10),
      report(50, idealResponseMs(realtime) + 10, 15, realtime),
    ]).split('\n');
    expect(lines[0]).toMatch(
      /mu-law cascade, 1 call\s+mu-law OpenAI Realtime, 1 call\s+ratio\s+mu-law cascade, 50 calls\s+ratio\s+mu-law OpenAI/,
    );
    expect(lines.find((line) => line.startsWith('CPU per call'))).toMatch(/×4\.00.+×2\.00.+×1\.50/);
    expect(lines.find((line) => line.startsWith('runtime-added latency p50'))).toMatch(/10\s+5\s+×0\.50/);
  });

  it('has the time from mouth to ear where there is WebRTC, and only there', () => {
    const webRtc: Subject = { line: 'webrtc', pipeline: 'cascaded' };
    expect(table([report(1, 760, 5)])).not.toContain('mouth to ear');
    const lines = table([report(1, 760, 5), report(1, 800, 9, webRtc)]).split('\n');
    expect(lines.find((line) => line.startsWith('mouth to ear, echo agent p50'))).toMatch(/–\s+55\.0/);
  });
});
