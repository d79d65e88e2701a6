import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planFaults } from './fault-plan.js';
import { readOptions } from './options.js';

const processes = ['store', 'control-plane', 'worker-1'];
const providers = ['deepgram', 'openai'];

describe('the plan of faults', () => {
  it('is the same for the same seed, and another for another', () => {
    const plan = (seed: number) =>
      planFaults({ seed, faults: 30, durationMs: 300_000, processes, providers });
    expect(plan(7)).toEqual(plan(7));
    expect(plan(7)).not.toEqual(plan(8));
  });

  it('has as many faults as asked for, in order, within its time, of known processes', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 60 }), (seed, faults) => {
        const plan = planFaults({ seed, faults, durationMs: 10_000, processes, providers });
        expect(plan).toHaveLength(faults);
        expect(plan.map(({ atMs }) => atMs)).toEqual(plan.map(({ atMs }) => atMs).sort((a, b) => a - b));
        for (const fault of plan) {
          expect(fault.atMs).toBeLessThanOrEqual(10_000);
          if ('process' in fault) expect(processes).toContain(fault.process);
          if ('provider' in fault) expect(providers).toContain(fault.provider);
        }
      }),
    );
  });

  it('has every kind of fault among a hundred', () => {
    const plan = planFaults({ seed: 1, faults: 100, durationMs: 300_000, processes, providers });
    expect(new Set(plan.map(({ kind }) => kind))).toEqual(
      new Set(['kill', 'freeze', 'full_disk', 'slow_disk', 'cut_connections', 'provider_outage']),
    );
  });
});

describe('the command line', () => {
  it('names what is wrong', () => {
    expect(() => readOptions(['--seed', 'x'], 1)).toThrow("--seed: expected a number, got 'x'");
    expect(() => readOptions(['--seconds', '9'], 1)).toThrow(
      "--seconds: expected a whole number of at least 10, got '9'",
    );
    expect(() => readOptions(['--sead', '1'], 1)).toThrow('--sead');
    expect(readOptions(['--help'], 1)).toBe('help');
    expect(readOptions(['--seed', '5'], 1)).toMatchObject({ seed: 5, faults: 100, seconds: 600 });
    expect(readOptions(['--quick'], 1)).toMatchObject({ seed: 1, faults: 30, seconds: 300 });
    expect(readOptions(['--kills', '7', '--runs', '3'], 1)).toMatchObject({ faults: 7, runs: 3 });
  });
});
