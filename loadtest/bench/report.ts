import type { CallsResult } from './call-scenario.js';
import type { EchoResult } from './echo-scenario.js';
import type { MouthToEarResult } from './mouth-to-ear.js';
import { idealResponseMs, isSameSubject, type Subject, titleOf } from './subject.js';

export interface Percentiles {
  readonly count: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** Computes percentiles by nearest rank; null of none. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** What one scenario came to, in ms, bytes and plain numbers. */
export interface ScenarioReport {
  readonly subject: Subject;
  readonly calls: number;
  readonly response_latency_ms: Percentiles;
  /** Response latency less endpointing and the vendors' fixed delays: what the runtime adds. */
  readonly runtime_added_ms: Percentiles;
  readonly barge_in_latency_ms: Percentiles;
  readonly worker_response_latency_ms: Percentiles;
  readonly worker_end_of_turn_delay_ms: Percentiles;
  /** Of the agent's frames as they arrived: distance from 20 ms after the one before. */
  readonly frame_jitter_ms: Percentiles;
  /** Before the worker had a call. */
  readonly idle_cpu_ms_per_second: number;
  readonly idle_cpu_after_ms_per_second: number;
  /** With mediasoup's worker. */
  readonly cpu_ms_per_call_second: number;
  readonly cpu_later_ms_per_call_second: number;
  /** Of it in mediasoup's worker; null on a line without. */
  readonly mediasoup_cpu_ms_per_call_second: number | null;
  readonly memory_bytes_per_call: number;
  readonly memory_slope_bytes_per_minute: number;
  readonly memory_slope_later_bytes_per_minute: number;
  /** Only of WebRTC: the line with an agent that gives back what it hears. */
  readonly mouth_to_ear_ms: Percentiles | null;
  readonly mouth_to_ear_cpu_ms_per_call_second: number | null;
  readonly mouth_to_ear_bench_lateness_ms: number | null;
  readonly echo_round_trip_ms: Percentiles;
  readonly echo_cpu_ms_per_call_second: number;
  readonly unanswered: number;
  readonly early_answers: number;
  /** Pieces of an answer that came when the carrier had nothing left to play, and the longest silence they made. */
  readonly late_frames: number;
  readonly longest_gap_ms: number;
  readonly ignored_barge_ins: number;
  readonly dropped_calls: number;
  readonly bench_lateness_ms: number;
}

export interface Measured {
  readonly result: CallsResult;
  readonly echo: EchoResult;
  readonly mouthToEar: MouthToEarResult | undefined;
}

export function scenarioReport({ result, echo, mouthToEar }: Measured): ScenarioReport {
  const { subject, samples, metrics } = result;
  const ideal = idealResponseMs(subject);
  const own = (name: 'response_latency_ms' | 'end_of_turn_delay_ms') =>
    percentiles(metrics.flatMap((turn) => turn[name] ?? []));
  return {
    subject,
    calls: result.calls,
    response_latency_ms: percentiles(samples.responses),
    runtime_added_ms: percentiles(samples.responses.map((latency) => latency - ideal)),
    barge_in_latency_ms: percentiles(samples.bargeIns),
    worker_response_latency_ms: own('response_latency_ms'),
    worker_end_of_turn_delay_ms: own('end_of_turn_delay_ms'),
    frame_jitter_ms: percentiles(result.jitter),
    idle_cpu_ms_per_second: result.idleCpu,
    idle_cpu_after_ms_per_second: result.idleCpuAfter,
    cpu_ms_per_call_second: result.cpuPerCall,
    cpu_later_ms_per_call_second: result.cpuPerCallLater,
    mediasoup_cpu_ms_per_call_second: subject.line === 'webrtc' ? result.mediasoupPerCall : null,
    memory_bytes_per_call: result.memoryPerCall,
    memory_slope_bytes_per_minute: result.memorySlope,
    memory_slope_later_bytes_per_minute: result.memorySlopeLater,
    mouth_to_ear_ms: mouthToEar ? percentiles(mouthToEar.delays) : null,
    mouth_to_ear_cpu_ms_per_call_second: mouthToEar?.cpuPerCall ?? null,
    mouth_to_ear_bench_lateness_ms: mouthToEar?.benchLateness ?? null,
    echo_round_trip_ms: percentiles(echo.roundTrips),
    echo_cpu_ms_per_call_second: echo.cpuPerCall,
    unanswered: samples.unanswered,
    early_answers: samples.early,
    late_frames: samples.late.length,
    longest_gap_ms: Math.max(0, ...samples.late),
    ignored_barge_ins: samples.ignoredBargeIns,
    dropped_calls: samples.dropped,
    bench_lateness_ms: result.benchLateness,
  };
}

interface Row {
  readonly name: string;
  readonly read: (report: ScenarioReport) => number | null;
  readonly digits: number;
  /** Shown as a ratio, too. */
  readonly ratio?: boolean;
  /** Left out where no scenario has it. */
  readonly optional?: boolean;
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
  ...spread('jitter of the agent’s frames', (report) => report.frame_jitter_ms, 1),
  {
    name: 'CPU of the worker before calls (% of a core)',
    read: ({ idle_cpu_ms_per_second: ms }) => ms / 10,
    digits: 2,
  },
  {
    name: 'CPU of the worker after calls (% of a core)',
    read: ({ idle_cpu_after_ms_per_second: ms }) => ms / 10,
    digits: 2,
  },
  {
    name: 'CPU per call (ms a second)',
    read: (report) => report.cpu_ms_per_call_second,
    digits: 2,
    ratio: true,
  },
  {
    name: 'CPU per call, second half (ms a second)',
    read: (report) => report.cpu_later_ms_per_call_second,
    digits: 2,
    ratio: true,
  },
  {
    name: 'of it mediasoup’s worker (ms a second)',
    read: (report) => report.mediasoup_cpu_ms_per_call_second,
    digits: 2,
    optional: true,
  },
  {
    name: 'memory per call (MB)',
    read: ({ memory_bytes_per_call: bytes }) => bytes / 1e6,
    digits: 2,
    ratio: true,
  },
  {
    name: 'memory of the worker, growth (MB a minute)',
    read: ({ memory_slope_bytes_per_minute: bytes }) => bytes / 1e6,
    digits: 1,
  },
  {
    name: 'the same in the second half of the time',
    read: ({ memory_slope_later_bytes_per_minute: bytes }) => bytes / 1e6,
    digits: 1,
  },
  ...(['p50', 'p95', 'p99'] as const).map((share) => ({
    name: `mouth to ear, echo agent ${share} (ms)`,
    read: (report: ScenarioReport) => report.mouth_to_ear_ms?.[share] ?? null,
    digits: 1,
    optional: true,
  })),
  {
    name: 'mouth to ear, CPU per call (ms a second)',
    read: (report) => report.mouth_to_ear_cpu_ms_per_call_second,
    digits: 2,
    optional: true,
  },
  {
    name: 'mouth to ear, bench late by at worst (ms)',
    read: (report) => report.mouth_to_ear_bench_lateness_ms,
    digits: 0,
    optional: true,
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
  { name: 'late frames (the carrier had played all)', read: (report) => report.late_frames, digits: 0 },
  { name: 'longest silence by a late frame (ms)', read: (report) => report.longest_gap_ms, digits: 0 },
  { name: 'barge-ins ignored', read: (report) => report.ignored_barge_ins, digits: 0 },
  { name: 'calls dropped', read: (report) => report.dropped_calls, digits: 0 },
  { name: 'bench late by at worst (ms)', read: (report) => report.bench_lateness_ms, digits: 0 },
];

/**
 * Prints the scenarios side by side. A cascade in mu-law is set against the first one, all else against the cascade
 * with as many calls.
 */
export function table(reports: readonly ScenarioReport[]): string {
  const columns = reports.map((report) => ({ report, base: baseOf(report, reports) }));
  const isMixed = new Set(reports.map(({ subject }) => titleOf(subject))).size > 1;
  const head = [
    '',
    ...columns.flatMap(({ report, base }) => [heading(report, isMixed), ...(base ? ['ratio'] : [])]),
  ];
  const rows = ROWS.filter(
    ({ read, optional }) => !optional || reports.some((report) => read(report) !== null),
  );
  const lines = rows.map(({ name, read, digits, ratio }) => [
    name,
    ...columns.flatMap(({ report, base }) => {
      const value = read(report);
      const text = value === null ? '–' : value.toFixed(digits);
      return base ? [text, ratio ? ratioText(value, read(base)) : ''] : [text];
    }),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]!.length)));
  return [head, ...lines]
    .map((line) =>
      line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
    )
    .join('\n');
}

function baseOf(report: ScenarioReport, reports: readonly ScenarioReport[]): ScenarioReport | undefined {
  const first = reports[0];
  if (!first || report === first) return undefined;
  if (isSameSubject(report.subject, first.subject)) return first;
  return reports.find(
    ({ subject, calls }) => calls === report.calls && isSameSubject(subject, first.subject),
  );
}

function heading({ subject, calls }: ScenarioReport, isMixed: boolean): string {
  const count = `${calls} call${calls === 1 ? '' : 's'}`;
  return isMixed ? `${titleOf(subject)}, ${count}` : count;
}

function ratioText(value: number | null, base: number | null): string {
  return value === null || base === null || base <= 0 ? '–' : `×${(value / base).toFixed(2)}`;
}
