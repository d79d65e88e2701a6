import type { LoadResult } from './http-load.js';

/** One scenario: rounds of both servers, each pair run one right after the other. */
export interface Comparison {
  readonly name: string;
  /** The share of the bare server's speed that must be reached. */
  readonly target: number;
  readonly rounds: readonly { readonly api: LoadResult; readonly bare: LoadResult }[];
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
}

/** Returns the value below which the share `p` of the values lies; NaN of nothing. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

const rate = ({ answers, seconds }: LoadResult): number => answers / seconds;

export function summarise({ name, target, rounds }: Comparison): Line {
  const ratio = percentile(
    rounds.map(({ api, bare }) => rate(api) / rate(bare)),
    0.5,
  );
  return {
    name,
    api: percentile(
      rounds.map(({ api }) => rate(api)),
      0.5,
    ),
    bare: percentile(
      rounds.map(({ bare }) => rate(bare)),
      0.5,
    ),
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
  };
}

export function table(lines: readonly Line[]): string {
  const rows = [
    ['', 'API req/s', 'bare req/s', 'ratio', 'target', 'API p99 ms', 'bare p99 ms'],
    ...lines.map((line) => [
      line.name,
      line.api.toFixed(0),
      line.bare.toFixed(0),
      `${line.ratio.toFixed(2)}${line.met ? '' : ' MISSED'}`,
      line.target.toFixed(2),
      line.apiP99.toFixed(1),
      line.bareP99.toFixed(1),
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
    )
    .join('\n');
}
