import { describe, expect, it } from 'vitest';
import { readOptions } from './options.js';
import { PARTS, planLoad, SCENARIOS } from './plan.js';

describe('the plan of a load test', () => {
  it.each(SCENARIOS)('of %s has every part that is asked for, for as long as it is asked for', (scenario) => {
    const { k6Options, peaks, seconds } = planLoad({ scenario, parts: PARTS, seconds: 100, scale: 1 });
    const scenarios = k6Options.scenarios as Record<string, { stages: { duration: string }[] }>;
    expect(Object.keys(scenarios)).toEqual([...PARTS]);
    expect(Object.keys(peaks)).toEqual([...PARTS]);
    expect(seconds).toBe(100);
    for (const { stages } of Object.values(scenarios)) {
      const total = stages.reduce((sum, { duration }) => sum + Number.parseInt(duration, 10), 0);
      expect(total).toBeGreaterThanOrEqual(97);
      expect(total).toBeLessThanOrEqual(105);
    }
  });

  it('multiplies the load, and never plans less than one', () => {
    expect(planLoad({ scenario: 'load', parts: ['media'], scale: 10 }).peaks.media).toBe(200);
    expect(planLoad({ scenario: 'smoke', parts: ['campaigns'], scale: 0.1 }).peaks.campaigns).toBe(1);
  });

  it('asks a system for nothing beyond its limit', () => {
    const thresholdsOf = (scenario: (typeof SCENARIOS)[number]) =>
      Object.keys(planLoad({ scenario, parts: ['rest'], scale: 1 }).k6Options.thresholds as object);
    expect(thresholdsOf('load')).toEqual(['rest_failed', 'rest_ms', 'rest_read_ms', 'rest_write_ms']);
    expect(thresholdsOf('smoke')).toEqual(['rest_failed']);
    expect(thresholdsOf('stress')).toEqual([]);
  });
});

describe('the thresholds of a load test', () => {
  const thresholdsOf = (part: (typeof PARTS)[number]) =>
    Object.keys(planLoad({ scenario: 'smoke', parts: [part], scale: 1 }).k6Options.thresholds as object);

  it('hold every count and share of failures, whatever is measured beside them', () => {
    const ofCalls = ['dropped_calls', 'unanswered', 'ignored_barge_ins', 'early_share'];
    expect(thresholdsOf('media')).toEqual(ofCalls.map((name) => `media_${name}`));
    expect(thresholdsOf('sessions')).toEqual(ofCalls.map((name) => `session_${name}`));
    expect(thresholdsOf('rest')).toEqual(['rest_failed']);
    expect(thresholdsOf('campaigns')).toEqual(['campaign_failed']);
    expect(thresholdsOf('webhooks')).toEqual(['webhook_failed']);
  });

  it('leave k6 the time by which it interrupts what has not ended', () => {
    expect(planLoad({ scenario: 'smoke', parts: PARTS, scale: 1 }).endSeconds).toBe(70);
    expect(planLoad({ scenario: 'load', parts: PARTS, seconds: 60, scale: 1 }).endSeconds).toBe(90);
  });
});

describe('the command line of a load test', () => {
  it('reads scenario, parts, scale and time', () => {
    expect(readOptions(['load', '--parts', 'rest,media', '--scale', '150', '--seconds', '30'])).toMatchObject(
      {
        command: 'load',
        parts: ['rest', 'media'],
        scale: 1.5,
        seconds: 30,
      },
    );
    expect(readOptions(['soak', '--own-core'])).toMatchObject({ command: 'soak', ownCore: true });
    expect(readOptions(['--help'])).toBe('help');
  });

  it('names what is wrong', () => {
    expect(() => readOptions([])).toThrow('Name one scenario: smoke, load, stress, spike, soak or capacity');
    expect(() => readOptions(['lode'])).toThrow(/^SCENARIO: expected .*got 'lode'/);
    expect(() => readOptions(['load', '--parts', 'rest,x'])).toThrow(/^--parts: .*got 'x'/);
  });
});
