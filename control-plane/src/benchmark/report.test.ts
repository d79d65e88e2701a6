import { describe, expect, it } from 'vitest';
import { percentile, summarise, table } from './report.js';

const result = (answers: number, latency = 1, cpuMs = 0) => ({
  answers,
  seconds: 2,
  latencies: [latency],
  cpuMs,
});

describe('the comparison with the bare server', () => {
  it('takes the median of the rounds’ ratios, so that one disturbed round does not decide', () => {
    const rounds = [
      { api: result(60), bare: result(100) },
      { api: result(70), bare: result(100) },
      { api: result(1), bare: result(100) },
    ];
    expect(summarise({ name: 'x', target: 0.6, rounds })).toMatchObject({
      ratio: 0.6,
      met: true,
      api: 30,
      bare: 50,
    });
    expect(summarise({ name: 'x', target: 0.61, rounds }).met).toBe(false);
  });

  it('shows a target that was missed', () => {
    const line = summarise({
      name: 'slow',
      target: 0.6,
      rounds: [{ api: result(10, 7), bare: result(100) }],
    });
    expect(table([line])).toMatch(/slow +5 +50 +0\.10 MISSED +0\.60 +7\.0 +1\.0/);
  });

  it('says what a request costs each server’s processor, whatever the rates were', () => {
    const rounds = [{ api: result(10, 7, 30), bare: result(100, 1, 100) }];
    const line = summarise({ name: 'x', target: 0.6, rounds });
    expect(line).toMatchObject({ apiCpu: 3, bareCpu: 1 });
    expect(table([line])).toMatch(/ 3\.00 +1\.00$/);
  });
});

it('a percentile is the smallest value that the share does not exceed', () => {
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
  expect(percentile([4, 1, 3, 2], 0.99)).toBe(4);
  expect(percentile([], 0.5)).toBeNaN();
});
