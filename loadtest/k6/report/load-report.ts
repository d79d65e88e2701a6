import { slopeOf } from '../../bench/slope.js';
import type { K6Record, MetricSeries } from '../k6-record.js';
import type { LoadPlan, Part } from '../plan.js';
import type { UsagePoint } from '../process-usage.js';
import type { Block, ReportDocument } from './document.js';
import { type Line, short } from './plot.js';

export interface LoadRun {
  readonly name: string;
  readonly plan: LoadPlan;
  readonly startedAt: number;
  readonly machine: string;
  readonly record: K6Record;
  readonly crossed: readonly string[];
  readonly usage: ReadonlyMap<string, readonly UsagePoint[]>;
}

/** Metrics of a part, with their names for a reader; times first. */
const TIMES: Readonly<Record<Part, Readonly<Record<string, string>>>> = {
  rest: { rest_read_ms: 'read', rest_write_ms: 'write', rest_ms: 'all' },
  campaigns: { campaign_duration_ms: 'whole campaign' },
  webhooks: { webhook_delivery_ms: 'POST /calls to webhook of the end' },
  sessions: callTimes('session'),
  media: callTimes('media'),
};
const COUNTS: Readonly<Record<Part, Readonly<Record<string, string>>>> = {
  rest: { rest_failed: 'requests that failed' },
  campaigns: { campaign_failed: 'campaigns that failed', campaign_contacts: 'contacts' },
  webhooks: { webhook_failed: 'webhooks that did not come' },
  sessions: callCounts('session'),
  media: callCounts('media'),
};
const TITLES: Readonly<Record<Part, string>> = {
  rest: 'REST API',
  campaigns: 'Campaigns',
  webhooks: 'Webhook receivers',
  sessions: 'WebSocket test sessions',
  media: 'Twilio media streams',
};
const AMOUNTS: Readonly<Record<Part, string>> = {
  rest: 'requests a second',
  campaigns: 'campaigns at once',
  webhooks: 'callers at once',
  sessions: 'sessions at once',
  media: 'streams at once',
};

function callTimes(kind: string): Readonly<Record<string, string>> {
  return {
    [`${kind}_response_ms`]: 'response latency',
    [`${kind}_added_ms`]: 'of it added by the runtime',
    [`${kind}_barge_in_ms`]: 'barge-in',
    [`${kind}_setup_ms`]: 'request to first audio',
    [`${kind}_ahead_ms`]: 'agent’s audio that waits',
    [`${kind}_k6_late_ms`]: 'k6 late, worst of a second',
  };
}

function callCounts(kind: string): Readonly<Record<string, string>> {
  return {
    [`${kind}_calls`]: 'calls',
    [`${kind}_dropped_calls`]: 'calls dropped',
    [`${kind}_unanswered`]: 'answers missing',
    [`${kind}_early_answers`]: 'answers too early',
    [`${kind}_ignored_barge_ins`]: 'barge-ins ignored',
    [`${kind}_late_frames`]: 'frames late: the caller hears a gap',
  };
}

/** Describes a run: what was asked, what held, and how latency and resources went over time. Pure. */
export function loadReport(run: LoadRun): ReportDocument {
  const parts = Object.keys(run.plan.peaks) as Part[];
  return {
    title: `Load test: ${run.name}`,
    blocks: [
      { kind: 'text', text: `${new Date(run.startedAt).toISOString().slice(0, 16)}Z. ${run.machine}` },
      {
        kind: 'list',
        items: parts.map((part) => `${TITLES[part]}: up to ${run.plan.peaks[part]} ${AMOUNTS[part]}`),
      },
      verdict(run),
      ...parts.flatMap((part) => partBlocks(part, run)),
      ...resourceBlocks(run),
    ],
  };
}

function verdict({ crossed, plan }: LoadRun): Block {
  const thresholds = Object.keys(plan.k6Options.thresholds as object).length;
  if (thresholds === 0) return { kind: 'text', text: 'No thresholds: this scenario looks for the limit.' };
  if (crossed.length === 0)
    return { kind: 'text', text: `All thresholds (${thresholds} metrics) were kept.` };
  return { kind: 'list', items: crossed.map((threshold) => `NOT kept: ${threshold}`) };
}

function partBlocks(part: Part, { record, startedAt, name: run }: LoadRun): Block[] {
  const times = Object.entries(TIMES[part]).flatMap(([metric, name]) => {
    const series = record.get(metric);
    return series ? [{ metric, name, series }] : [];
  });
  const counts = Object.entries(COUNTS[part]).map(([metric, name]) => [name, total(record.get(metric))]);
  const plotted = times.filter(({ metric }) => !/_(response|k6_late|ahead|setup)_ms$/.test(metric));
  return [
    { kind: 'heading', text: TITLES[part] },
    {
      kind: 'table',
      head: ['ms', 'median', 'p95', 'p99', 'worst'],
      rows: times.map(({ name, series: { total: t } }) => [
        name,
        ...['med', 'p(95)', 'p(99)', 'max'].map((key) => short(t[key] ?? 0)),
      ]),
    },
    { kind: 'table', head: ['Counted', ''], rows: counts.map(([name, value]) => [name!, value!]) },
    ...plotted.map(
      ({ metric, name, series }): Block => ({
        kind: 'plot',
        name: `${run}-${metric}`,
        plot: {
          title: `${TITLES[part]}: ${name}`,
          xLabel: 'seconds',
          yLabel: 'ms',
          lines: ['med', 'p(95)', 'p(99)'].map((key) => lineOf(key, series, key, startedAt)),
        },
      }),
    ),
  ];
}

const total = (series: MetricSeries | undefined) => {
  if (!series) return '0';
  if (series.type === 'rate') return `${short((series.total.rate ?? 0) * 100)} %`;
  return short(series.total.count ?? 0);
};

const lineOf = (name: string, { points }: MetricSeries, key: string, startedAt: number): Line => ({
  name,
  points: points.map(({ at, values }) => [(at - startedAt) / 1000, values[key] ?? 0] as const),
});

function resourceBlocks({ usage, startedAt, name: run }: LoadRun): Block[] {
  const lines = (read: (point: UsagePoint) => number): Line[] =>
    [...usage].map(([name, points]) => ({
      name,
      points: points.map((point) => [(point.at - startedAt) / 1000, read(point)] as const),
    }));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [
    { kind: 'heading', text: 'Processor and memory' },
    {
      kind: 'table',
      head: [
        'Process',
        'cores, mean',
        'cores, most',
        'memory, most (MB)',
        'memory, growth in the second half (MB a minute)',
      ],
      rows: [...usage].map(([name, points]) => [
        name,
        mean(points.map(({ cores }) => cores)).toFixed(2),
        Math.max(...points.map(({ cores }) => cores)).toFixed(2),
        (Math.max(...points.map(({ memory }) => memory)) / 1e6).toFixed(0),
        memoryGrowth(points).toFixed(1),
      ]),
    },
    {
      kind: 'plot',
      name: `${run}-cpu`,
      plot: { title: 'Processor', xLabel: 'seconds', yLabel: 'cores', lines: lines(({ cores }) => cores) },
    },
    {
      kind: 'plot',
      name: `${run}-memory`,
      plot: {
        title: 'Resident memory',
        xLabel: 'seconds',
        yLabel: 'MB',
        lines: lines(({ memory }) => memory / 1e6),
      },
    },
  ];
}

/** How much the memory grows, in MB a minute, once everything is warm. */
function memoryGrowth(points: readonly UsagePoint[]): number {
  const half = points.slice(Math.floor(points.length / 2));
  return slopeOf(half.map(({ at, memory }) => [at / 60_000, memory / 1e6] as const));
}
