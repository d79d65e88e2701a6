import { describe, expect, it } from 'vitest';
import type { MetricSeries } from '../k6-record.js';
import { planLoad } from '../plan.js';
import { htmlOf, markdownOf } from './document.js';
import { type LoadRun, loadReport } from './load-report.js';
import { short, svgPlot, ticksUpTo } from './plot.js';

describe('a plot', () => {
  it('draws each line within its frame, and writes names as text', () => {
    const svg = svgPlot({
      title: 'a < b & c',
      xLabel: 's',
      yLabel: 'ms',
      lines: [
        {
          name: 'p95',
          points: [
            [0, 0],
            [10, 100],
          ],
        },
      ],
      mark: { x: 5, label: 'knee' },
    });
    expect(svg).toContain('a &lt; b &amp; c');
    expect(svg).toContain('points="62,198 704,30"');
    expect(svg).toContain('>knee</text>');
  });

  it('is drawn of nothing, and of one point', () => {
    for (const points of [[], [[3, 7]]] as const) {
      const svg = svgPlot({ title: 't', xLabel: 'x', yLabel: 'y', lines: [{ name: 'n', points }] });
      expect(svg).not.toContain('NaN');
    }
  });

  it('has round ticks up to its highest value', () => {
    expect(ticksUpTo(100)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticksUpTo(0.9).at(-1)).toBeGreaterThanOrEqual(0.9);
    expect(ticksUpTo(0)).toEqual([0, 1]);
    expect([0, 0.01234, 12.345, 1234.5, 123_456].map(short)).toEqual([
      '0',
      '0.012',
      '12.3',
      '1235',
      '123.5k',
    ]);
  });
});

const run = (changes: Partial<LoadRun> = {}): LoadRun => ({
  name: 'load',
  plan: planLoad({ scenario: 'load', parts: ['rest', 'media'], scale: 1 }),
  startedAt: Date.UTC(2026, 10, 22, 10),
  machine: 'A machine.',
  record: new Map<string, MetricSeries>([
    [
      'rest_read_ms',
      {
        type: 'trend',
        points: [{ at: Date.UTC(2026, 10, 22, 10) + 2000, values: { med: 4, 'p(95)': 9, 'p(99)': 12 } }],
        total: { med: 4, 'p(95)': 9, 'p(99)': 12, max: 30 },
      },
    ],
    ['rest_failed', { type: 'rate', points: [], total: { rate: 0.25 } }],
  ]),
  crossed: [],
  usage: new Map([
    ['worker', [0, 1, 2, 3].map((n) => ({ at: n * 60_000, cores: 0.5, memory: 100e6 + n * 2e6 }))],
  ]),
  ...changes,
});

describe('the report of a load test', () => {
  it('shows what was asked, percentiles, failures and the growth of memory', () => {
    const { text, plots } = markdownOf(loadReport(run()));
    expect(text).toContain('- REST API: up to 60 requests a second');
    expect(text).toContain('| read | 4 | 9 | 12 | 30 |');
    expect(text).toContain('| requests that failed | 25 % |');
    expect(text).toContain('| worker | 0.50 | 0.50 | 106 | 2.0 |');
    expect(text).toContain('All thresholds');
    expect([...plots.keys()]).toEqual(['load-rest_read_ms.svg', 'load-cpu.svg', 'load-memory.svg']);
    for (const name of plots.keys()) expect(text).toContain(`(${name})`);
  });

  it('names the thresholds that were not kept', () => {
    const { text } = markdownOf(loadReport(run({ crossed: ['rest_failed: rate==0'] })));
    expect(text).toContain('- NOT kept: rest_failed: rate==0');
    expect(text).not.toContain('All thresholds');
  });

  it('is one HTML file that loads nothing', () => {
    const html = htmlOf(loadReport(run()));
    expect(html).not.toMatch(/<script|<link|src=|href=|@import|url\(/);
    expect(html.match(/<svg/g)).toHaveLength(3);
  });
});
