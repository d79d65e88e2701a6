import { z } from 'zod';

/** One metric over time: for each aggregate (`p(95)`, `rate`, `count`, …) its values, by period. */
export interface MetricSeries {
  readonly type: string;
  readonly points: readonly { readonly at: number; readonly values: Readonly<Record<string, number>> }[];
  /** Of the whole run. */
  readonly total: Readonly<Record<string, number>>;
}

export type K6Record = ReadonlyMap<string, MetricSeries>;

const envelope = z.object({ event: z.string(), data: z.unknown() });
const param = z.object({ aggregates: z.record(z.string(), z.array(z.string())) });
const metricTypes = z.record(z.string(), z.object({ type: z.string() }));
const samples = z.array(z.array(z.number()).nullable());

/**
 * Reads what k6's dashboard output has recorded: JSON lines, of which `metric` names new metrics, and `snapshot` holds
 * the aggregates of one period, metric by metric in the order of their names. A last line that is not whole yet is
 * left out.
 */
export function readK6Record(text: string): K6Record {
  const types = new Map<string, string>();
  const series = new Map<string, { at: number; values: Record<string, number> }[]>();
  let totals: Record<string, Record<string, number>> = {};
  let aggregates: Record<string, string[]> = {};
  const named = (data: unknown) => {
    const names = [...types.keys()].sort();
    const values: Record<string, Record<string, number>> = {};
    for (const [n, numbers] of samples.parse(data).entries()) {
      const name = names[n];
      if (name === undefined || !numbers || numbers.length === 0) continue;
      const keys = aggregates[types.get(name)!] ?? [];
      values[name] = Object.fromEntries(keys.map((key, k) => [key, numbers[k] ?? 0]));
    }
    return values;
  };
  for (const line of text.split('\n')) {
    const record = parsed(line);
    if (!record) continue;
    const { event, data } = record;
    if (event === 'param') aggregates = param.parse(data).aggregates;
    if (event === 'metric')
      for (const [name, { type }] of Object.entries(metricTypes.parse(data))) types.set(name, type);
    if (event === 'cumulative') totals = named(data);
    if (event !== 'snapshot') continue;
    const values = named(data);
    const at = values.time?.value;
    if (at === undefined) continue;
    for (const [name, ofMetric] of Object.entries(values)) {
      const points = series.get(name) ?? [];
      series.set(name, points);
      points.push({ at, values: ofMetric });
    }
  }
  return new Map(
    [...series].map(([name, points]) => [
      name,
      { type: types.get(name)!, points, total: totals[name] ?? {} },
    ]),
  );
}

function parsed(line: string): z.infer<typeof envelope> | undefined {
  if (line.trim() === '') return undefined;
  try {
    return envelope.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
