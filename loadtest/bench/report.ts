import type { CallsResult } from './call-scenario.js';
import type { EchoResult } from './echo-scenario.js';
import { IDEAL_RESPONSE_MS } from './fixed-delays.js';

export interface Percentiles {
  readonly count: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** Nearest rank; null of none. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** What one scenario came to, in ms, bytes and plain numbers. */
export interface ScenarioReport {
  readonly calls: number;
  readonly response_latency_ms: Percentiles;
  /** Response latency less endpointing and the vendors' fixed delays: what the runtime adds. */
  readonly runtime_added_ms: Percentiles;
  readonly barge_in_latency_ms: Percentiles;
  readonly worker_response_latency_ms: Percentiles;
  readonly worker_end_of_turn_delay_ms: Percentiles;
  readonly cpu_ms_per_call_second: number;
  readonly memory_bytes_per_call: number;
  readonly echo_round_trip_ms: Percentiles;
  readonly echo_cpu_ms_per_call_second: number;
  readonly unanswered: number;
  readonly early_answers: number;
  readonly ignored_barge_ins: number;
  readonly dropped_calls: number;
  readonly bench_lateness_ms: number;
}

export function scenarioReport(result: CallsResult, echo: EchoResult): ScenarioReport {
  const { samples, metrics } = result;
  const own = (name: 'response_latency_ms' | 'end_of_turn_delay_ms') =>
    percentiles(metrics.flatMap((turn) => turn[name] ?? []));
  return {
    calls: result.calls,
    response_latency_ms: percentiles(samples.responses),
    runtime_added_ms: percentiles(samples.responses.map((latency) => latency - IDEAL_RESPONSE_MS)),
    barge_in_latency_ms: percentiles(samples.bargeIns),
    worker_response_latency_ms: own('response_latency_ms'),
    worker_end_of_turn_delay_ms: own('end_of_turn_delay_ms'),
    cpu_ms_per_call_second: result.cpuPerCall,
    memory_bytes_per_call: result.memoryPerCall,
    echo_round_trip_ms: percentiles(echo.roundTrips),
    echo_cpu_ms_per_call_second: echo.cpuPerCall,
    unanswered: samples.unanswered,
    early_answers: samples.early,
    ignored_barge_ins: samples.ignoredBargeIns,
    dropped_calls: samples.dropped,
    bench_lateness_ms: result.benchLateness,
  };
}

interface Row {
  readonly name: string;
  readonly read: (report: ScenarioReport) => number | null;
  readonly digits: number;
  /** Shown as a ratio to the first scenario, too. */
  readonly ratio?: boolean;
}

const spread = (name: string, read: (report: ScenarioReport) => Percentiles, digits = 0): Row[] =>
  (['p50', 'p95', 'p99'] as const).map((share) => ({
    name: `${name} ${share} (ms)`,
    read: (report) => read(report)[share],
    digits,
    ratio: true,
  }));

const ROWS: readonly Row[] = [
  { name: 'answers measured', read: (report) => report.response_latency_ms.count, digits: 0 },
  ...spread('response latency', (report) => report.response_latency_ms),
  ...spread('runtime-added latency', (report) => report.runtime_added_ms),
  { name: 'barge-ins measured', read: (report) => report.barge_in_latency_ms.count, digits: 0 },
  ...spread('barge-in latency', (report) => report.barge_in_latency_ms),
  ...spread('worker’s own response latency', (report) => report.worker_response_latency_ms),
  ...spread('worker’s own end-of-turn delay', (report) => report.worker_end_of_turn_delay_ms),
  {
    name: 'CPU per call (ms a second)',
    read: (report) => report.cpu_ms_per_call_second,
    digits: 2,
    ratio: true,
  },
  {
    name: 'memory per call (MB)',
    read: ({ memory_bytes_per_call: bytes }) => bytes / 1e6,
    digits: 2,
    ratio: true,
  },
  ...spread('bare echo round trip', (report) => report.echo_round_trip_ms, 2),
  {
    name: 'bare echo CPU per call (ms a second)',
    read: (report) => report.echo_cpu_ms_per_call_second,
    digits: 2,
    ratio: true,
  },
  {
    name: 'CPU, times the bare echo',
    read: (report) => report.cpu_ms_per_call_second / report.echo_cpu_ms_per_call_second,
    digits: 1,
  },
  {
    name: 'runtime-added p50, times the echo round trip',
    read: ({ runtime_added_ms, echo_round_trip_ms }) =>
      runtime_added_ms.p50 === null || !echo_round_trip_ms.p50
        ? null
        : runtime_added_ms.p50 / echo_round_trip_ms.p50,
    digits: 1,
  },
  { name: 'answers missing', read: (report) => report.unanswered, digits: 0 },
  { name: 'answers too early', read: (report) => report.early_answers, digits: 0 },
  { name: 'barge-ins ignored', read: (report) => report.ignored_barge_ins, digits: 0 },
  { name: 'calls dropped', read: (report) => report.dropped_calls, digits: 0 },
  { name: 'bench late by at worst (ms)', read: (report) => report.bench_lateness_ms, digits: 0 },
];

/** The scenarios side by side, each with its ratio to the first. */
export function table(reports: readonly ScenarioReport[]): string {
  const first = reports[0];
  const head = [
    '',
    ...reports.flatMap(({ calls }, i) => (i === 0 ? [heading(calls)] : [heading(calls), 'ratio'])),
  ];
  const lines = ROWS.map(({ name, read, digits, ratio }) => [
    name,
    ...reports.flatMap((report, i) => {
      const value = read(report);
      const text = value === null ? '–' : value.toFixed(digits);
      return i === 0 ? [text] : [text, ratio && first ? ratioText(value, read(first)) : ''];
    }),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]!.length)));
  return [head, ...lines]
    .map((line) =>
      line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
    )
    .join('\n');
}

const heading = (calls: number): string => `${calls} call${calls === 1 ? '' : 's'}`;

function ratioText(value: number | null, base: number | null): string {
  return value === null || base === null || base <= 0 ? '–' : `×${(value / base).toFixed(2)}`;
}
