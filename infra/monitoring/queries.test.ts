import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { collect, isObject, parseYaml, type Value } from '../deployment/documents.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface ExportedMetric {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** The metrics of a plane, from the registry that its `/metrics` renders. */
async function metricsOf(plane: string): Promise<readonly ExportedMetric[]> {
  const path = join(root, plane, 'src/testing/exported-metrics.ts');
  const { exportedMetrics } = (await import(pathToFileURL(path).href)) as {
    exportedMetrics(): { getMetricsAsArray(): readonly ExportedMetric[] };
  };
  return exportedMetrics().getMetricsAsArray();
}

const SERIES_OF: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** What Prometheus itself adds to each series of a target that the operator's monitors name. */
const ADDED = ['job', 'instance', 'namespace', 'pod', 'service', 'endpoint'];

/** The labels of every series that can be asked for, by its name. */
const series = new Map<string, ReadonlySet<string>>([['up', new Set(ADDED)]]);
for (const { name, type, labelNames } of [
  ...(await metricsOf('control-plane')),
  ...(await metricsOf('media-plane')),
]) {
  for (const suffix of SERIES_OF[String(type)] ?? ['']) {
    const own = suffix === '_bucket' ? [...labelNames, 'le'] : labelNames;
    series.set(`${name}${suffix}`, new Set([...(series.get(`${name}${suffix}`) ?? ADDED), ...own]));
  }
}

/** Returns what is wrong with an expression: its syntax, a series or a label that nobody exports. */
function problemsOf(expression: string): string[] {
  const problems: string[] = [];
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }) => expression.slice(from, to);
  const names: string[] = [];
  const grouping: string[] = [];
  let at: ReadonlySet<string> | undefined;
  parser.parse(expression).iterate({
    enter: (node) => {
      if (node.type.isError)
        problems.push(`syntax near “${expression.slice(Math.max(0, node.from - 10), node.to + 10)}”`);
      if (node.name === 'VectorSelector') {
        const name = textOf(node).match(/^[a-zA-Z_:][\w:]*/)?.[0] ?? '';
        names.push(name);
        at = series.get(name);
        if (!at) problems.push(`${name}: exported by nobody`);
      }
      if (/LabelMatcher$/.test(node.name)) {
        const label = textOf(node).match(/^\w+/)![0];
        if (at && !at.has(label)) problems.push(`${label}: no label of ${names.at(-1)}`);
      }
      if (node.name === 'GroupingLabels') grouping.push(...(textOf(node).match(/\w+/g) ?? []));
    },
  });
  for (const label of grouping) {
    if (!names.some((name) => series.get(name)?.has(label)))
      problems.push(`${label}: no label of ${names.join(', ')}`);
  }
  return names.length === 0 && problems.length === 0 ? ['asks for nothing'] : problems;
}

const alerts = parseYaml(read('infra/monitoring/alerts.yaml'), 'alerts.yaml').flatMap((file) =>
  collect(file, (value) => (isObject(value) && typeof value.alert === 'string' ? [value] : [])),
);
const dashboard = JSON.parse(read('infra/monitoring/dashboard.json')) as {
  readonly panels: readonly { readonly [name: string]: Value }[];
};
const scaling = parseYaml(read('infra/kubernetes/base/autoscaling.yaml'), 'autoscaling.yaml');

const queries = [
  ...alerts.map(({ alert, expr }) => ['alert', String(alert), String(expr)]),
  ...dashboard.panels.flatMap((panel) =>
    collect(panel, (value) =>
      isObject(value) && typeof value.expr === 'string' ? [['panel', String(panel.title), value.expr]] : [],
    ),
  ),
  ...scaling.flatMap((file) =>
    collect(file, (value) =>
      isObject(value) && typeof value.query === 'string' ? [['autoscaler', 'workers', value.query]] : [],
    ),
  ),
];

describe('a query', () => {
  it.each(queries)('of the %s %s asks for what the planes export', (_of, _name, expression) => {
    expect(problemsOf(expression!)).toEqual([]);
  });

  it('is found in rules, dashboard and autoscaler', () => {
    const counts = Object.groupBy(queries, ([of]) => of!);
    expect(counts.alert!.length).toBeGreaterThan(10);
    expect(counts.panel!.length).toBeGreaterThan(30);
    expect(counts.autoscaler!.length).toBe(2);
  });

  it.each([
    ['max(no_such_metric)', 'no_such_metric: exported by nobody'],
    ['calls_ended_total{reason="x"}', 'reason: no label of calls_ended_total'],
    ['sum by (vendor) (worker_provider_circuit_open)', 'vendor: no label of worker_provider_circuit_open'],
    ['call_dispatch_seconds', 'call_dispatch_seconds: exported by nobody'],
    ['sum(rate(calls_ended_total[5m])', 'syntax near'],
    ['1 + 1', 'asks for nothing'],
  ])('that is wrong is named: %s', (expression, problem) => {
    expect(problemsOf(expression)[0]).toContain(problem);
  });

  it('of an outcome or a status names one that there is', async () => {
    const { callStatus, endReason } = await import('@voice/shared/contracts/primitives');
    const valuesOf = (label: string) =>
      queries.flatMap(([, , expression]) =>
        [...expression!.matchAll(new RegExp(`${label}="([^"]+)"`, 'g'))].map(([, value]) => value!),
      );
    expect(
      valuesOf('calls_ended_total\\{status').every((value) => callStatus.options.includes(value as never)),
    ).toBe(true);
    expect(valuesOf('end_reason').every((value) => endReason.options.includes(value as never))).toBe(true);
  });
});

describe('the runbook', () => {
  const runbook = read('docs/runbook.md');
  const incidents = runbook
    .split(/^## /m)
    .slice(1)
    .filter((section) => section.includes('**Seen by**'));
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-');
  const headings = incidents.map((section) => section.split('\n')[0]!);

  it('has ten incidents, each with a metric that is exported and a command', () => {
    expect(headings.length).toBe(10);
    for (const [n, section] of incidents.entries()) {
      const seen = /\*\*Seen by\*\*(.*?)(?=\n\n)/s.exec(section)?.[1] ?? '';
      const named = [...seen.matchAll(/`([a-z_]+)`/g)]
        .map(([, name]) => name!)
        .filter((name) => series.has(name) || series.has(`${name}_bucket`));
      expect(named.length, headings[n]).toBeGreaterThan(0);
      expect(section, headings[n]).toMatch(/```sh\n[^`]+```/);
    }
  });

  it('is where every alert leads, and each incident has one', () => {
    const leads = new Set(
      alerts.map(({ annotations }) => String(isObject(annotations) ? annotations.runbook : '')),
    );
    expect([...leads].sort()).toEqual(
      headings.map((heading) => `docs/runbook.md#${anchorOf(heading)}`).sort(),
    );
  });
});
