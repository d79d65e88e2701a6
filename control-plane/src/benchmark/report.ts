import type { LoadResult } from './http-load.js';

/** What one server did in one half of a round. */
export interface Half extends LoadResult {
  /** Processor time of its process, in ms. */
  readonly cpuMs: number;
}

/** One scenario: rounds of both servers, each pair run one right after the other. */
export interface Comparison {
  readonly name: string;
  /** The share of the bare server's speed that must be reached. */
  readonly target: number;
  readonly rounds: readonly { readonly api: Half; readonly bare: Half }[];
}

export interface Line {
  readonly name: string;
  /** Answers a second, medians of the rounds. */
  readonly api: number;
  readonly bare: number;
  /** The median of the rounds' ratios: what disturbs one round disturbs both of its halves, or is an outlier. */
  readonly ratio: number;
  readonly target: number;
  readonly met: boolean;
  /** In ms. */
  readonly apiP99: number;
  readonly bareP99: number;
  /** Processor time of a request in ms, medians of the rounds; hardly depends on what else the machine does. */
  readonly apiCpu: number;
  readonly bareCpu: number;
}

/** Returns the value below which the share `p` of the values lies; NaN of nothing. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

const rate = ({ answers, seconds }: Half): number => answers / seconds;
const cpu = ({ answers, cpuMs }: Half): number => cpuMs / answers;

export function summarise({ name, target, rounds }: Comparison): Line {
  const median = (of: (round: Comparison['rounds'][number]) => number) => percentile(rounds.map(of), 0.5);
  const ratio = median(({ api, bare }) => rate(api) / rate(bare));
  return {
    name,
    api: median(({ api }) => rate(api)),
    bare: median(({ bare }) => rate(bare)),
    ratio,
    target,
    met: ratio >= target,
    apiP99: percentile(
      rounds.flatMap(({ api }) => api.latencies),
      0.99,
    ),
    bareP99: percentile(
      rounds.flatMap(({ bare }) => bare.latencies),
      0.99,
    ),
    apiCpu: median(({ api }) => cpu(api)),
    bareCpu: median(({ bare }) => cpu(bare)),
  };
}

export function table(lines: readonly Line[]): string {
  const rows = [
    [
      '',
      'API req/s',
      'bare req/s',
      'ratio',
      'target',
      'API p99 ms',
      'bare p99 ms',
      'API CPU ms',
      'bare CPU ms',
    ],
    ...lines.map((line) => [
      line.name,
      line.api.toFixed(0),
      line.bare.toFixed(0),
      `${line.ratio.toFixed(2)}${line.met ? '' : ' MISSED'}`,
      line.target.toFixed(2),
      line.apiP99.toFixed(1),
      line.bareP99.toFixed(1),
      line.apiCpu.toFixed(2),
      line.bareCpu.toFixed(2),
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
    )
    .join('\n');
}
