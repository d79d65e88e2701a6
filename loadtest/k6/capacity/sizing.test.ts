import { describe, expect, it } from 'vitest';
import { type Level, project, sizingOf } from './sizing.js';

const level = (calls: number, p95: number, worker = calls * 0.01): Level => ({
  calls,
  added: { p50: p95 / 2, p95, p99: p95 * 1.5 },
  bargeInP95: 120,
  k6LateP95: 3,
  dropped: 0,
  unanswered: 0,
  cores: { worker },
  workerMemory: 150e6 + calls * 2e6,
});
const dial = { calls: 1000, controlPlaneMs: 30, storeMs: 12 };

describe('the sizing of a worker', () => {
  it('finds the last level before latency leaves its flat part', () => {
    expect(sizingOf([level(5, 20), level(20, 30), level(40, 90), level(60, 400)]).knee).toBe(40);
  });

  it('finds no knee where every level stays flat', () => {
    expect(sizingOf([level(5, 20), level(20, 30)]).knee).toBeUndefined();
  });

  it('takes a dropped call for a limit that is passed', () => {
    expect(sizingOf([level(5, 20), { ...level(20, 20), dropped: 1 }]).knee).toBe(5);
  });

  it('takes the processor time of a call from the highest flat level, and memory from the slope', () => {
    const sizing = sizingOf([level(5, 20, 0.2), level(50, 25, 0.4), level(80, 900, 0.99)]);
    expect(sizing.cpuPerCall).toBeCloseTo(8);
    expect(sizing.memoryPerCall).toBeCloseTo(2e6);
    expect(sizing.memoryBase).toBeCloseTo(150e6);
  });
});

describe('the projection', () => {
  const sizing = { knee: 60, cpuPerCall: 10, memoryPerCall: 2e6, memoryBase: 150e6 };

  it('names what gives first at each size', () => {
    expect(project(1, 30, sizing, dial).bottleneck).toMatch(/^none/);
    expect(project(10, 60, sizing, dial).bottleneck).toMatch(/^one worker: 10 are needed/);
    expect(project(100, 60, sizing, dial).bottleneck).toMatch(/^one control plane/);
    expect(project(1000, 60, sizing, dial).bottleneck).toMatch(/^the embedded store/);
  });

  it('grows in proportion to the calls', () => {
    const small = project(10, 60, sizing, dial);
    const large = project(100, 60, sizing, dial);
    expect(large.workerCores).toBeCloseTo(small.workerCores * 10);
    expect(large.storeCommandsPerSecond).toBeCloseTo(small.storeCommandsPerSecond * 10);
    expect(small.callsPerSecond).toBeCloseTo(5);
  });
});
