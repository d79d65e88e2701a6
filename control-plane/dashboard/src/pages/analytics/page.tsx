import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { useApi } from '../../api/mode.js';
import type { Trends, UsageSummary } from '../../api/types.js';
import { money } from '../../format/money.js';
import { countTicks, latencyTicks, moneyTicks } from '../../format/ticks.js';
import { clock, latency } from '../../format/time.js';
import { classes } from '../../ui/classes.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ErrorState } from '../../ui/error-state.js';
import { Card, Page } from '../../ui/page.js';
import { Skeleton } from '../../ui/skeleton.js';
import { usageQuery } from '../billing/query.js';
import { FirstCallLink } from '../calls/first-call-link.js';
import { callsSentence, costSentence, latencySentence, statusShares } from './figures.js';
import { Bars } from './parts/bars.js';
import { RangeChoice } from './parts/range-choice.js';
import { AgentsTable, BucketsTable } from './parts/tables.js';
import { trendsQuery } from './query.js';
import { rangeOf } from './search.js';

export const route = createLazyRoute('/analytics')({ component: AnalyticsPage });
const routeApi = getRouteApi('/analytics');
const Chart = lazy(() => import('./chart.js'));

/** What the calls of a range come to: how many, how they ended, how fast, at what cost, by which agent. */
function AnalyticsPage(): ReactNode {
  const context = useApi();
  const range = rangeOf(routeApi.useSearch(), Date.now());
  const trends = useQuery(trendsQuery(context, range));
  const usage = useQuery(usageQuery(context));
  const failed = [trends, usage].find(({ isLoadingError }) => isLoadingError);
  return (
    <Page title="Analytics" actions={<RangeChoice range={range} />}>
      {failed !== undefined ? (
        <ErrorState
          title="The figures could not be loaded"
          error={failed.error}
          onRetry={() => void failed.refetch()}
        />
      ) : trends.data === undefined || usage.data === undefined ? (
        <>
          <Skeleton className="h-16" />
          <Skeleton className="h-64" />
        </>
      ) : trends.data.totals.calls === 0 ? (
        <EmptyState
          icon={ChartColumn}
          title={`No calls from ${trends.data.period.start} to ${trends.data.period.end}`}
          action={<FirstCallLink />}
        >
          As soon as there are calls, you see here how many there are, how they ended, how fast your agents
          answer, and what it costs. Choose another range for what was before.
        </EmptyState>
      ) : (
        <div
          aria-busy={trends.isPlaceholderData}
          className={classes('flex flex-col gap-4', trends.isPlaceholderData && 'opacity-60')}
        >
          <Figures trends={trends.data} usage={usage.data} />
        </div>
      )}
    </Page>
  );
}

interface FiguresProps {
  readonly trends: Trends;
  readonly usage: UsageSummary;
}

function Figures({ trends, usage }: FiguresProps): ReactNode {
  const { totals, period, buckets, response_latency_ms: answers } = trends;
  const days = useMemo(() => buckets.map(({ start }) => start), [buckets]);
  const calls = useMemo(
    () => [
      { label: 'Calls', color: 'line-strong', values: buckets.map((one) => one.calls) },
      { label: 'Answered', color: 'accent', values: buckets.map(({ answered }) => answered) },
    ],
    [buckets],
  );
  const costs = useMemo(
    () => [{ label: 'Cost', color: 'accent', values: buckets.map(({ cost_usd }) => cost_usd) }],
    [buckets],
  );
  const latencies = useMemo(
    () =>
      PERCENTILES.map(({ key, ...series }) => ({
        ...series,
        label: key,
        values: buckets.map(({ response_latency_ms }) => response_latency_ms[key]),
      })),
    [buckets],
  );
  const lasted = (ms: number | null, format: (ms: number) => string) => (ms === null ? '–' : format(ms));
  const facts: readonly (readonly [string, string])[] = [
    ['Calls', totals.calls.toLocaleString('en-US')],
    ['Answer rate', trends.answer_rate === null ? '–' : `${Math.round(trends.answer_rate * 100)} %`],
    ['Minutes', (totals.duration_ms / MINUTE_MS).toFixed(1)],
    ['Cost', money(totals.cost_usd)],
    ['Answer latency p50', lasted(answers.p50, latency)],
    ['Answer latency p95', lasted(answers.p95, latency)],
    ['Answer latency p99', lasted(answers.p99, latency)],
    ['Average call', lasted(trends.average_duration_ms, clock)],
  ];
  const charts = [
    { title: 'Calls', sentence: callsSentence(trends), series: calls, ticks: countTicks },
    { title: 'Cost', sentence: costSentence(trends), series: costs, ticks: moneyTicks },
    {
      title: 'Answer latency',
      sentence: latencySentence(trends),
      series: latencies,
      ticks: latencyTicks,
      shape: 'lines',
    },
  ] as const;
  const { cost } = usage.totals;
  return (
    <>
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-4">
        {facts.map(([name, value]) => (
          <div key={name} className="min-w-0 bg-surface px-3 py-2">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="truncate text-base font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        {charts.map(({ title, sentence, ...chart }) => (
          <Card key={title} title={`${title} by ${period.bucket}`}>
            <div className="flex flex-col gap-2 p-4">
              <p className="text-muted">{sentence}</p>
              <Suspense fallback={<Skeleton className="h-56" />}>
                <Chart summary={`${title} by ${period.bucket}. ${sentence}`} days={days} {...chart} />
              </Suspense>
            </div>
          </Card>
        ))}
        <Card title="How calls ended">
          <Bars
            rows={statusShares(trends.by_status).map(({ name, calls, share }) => ({
              name,
              share,
              value: `${calls.toLocaleString('en-US')} (${Math.round(share * 100)} %)`,
            }))}
          />
        </Card>
        <Card title="Cost by part" aside={<span className="text-muted">this month, test sessions too</span>}>
          <Bars
            rows={COST_PARTS.map(([key, name]) => ({
              name,
              share: cost.total === 0 ? 0 : cost[key] / cost.total,
              value: money(cost[key]),
            }))}
          />
        </Card>
      </div>
      <Card title="Cost by agent">
        <AgentsTable trends={trends} />
      </Card>
      <Card title={`By ${period.bucket}`}>
        <BucketsTable trends={trends} />
      </Card>
    </>
  );
}

const MINUTE_MS = 60_000;
const PERCENTILES = [
  { key: 'p50', color: 'accent', dash: [] },
  { key: 'p95', color: 'stage-stt', dash: [8, 4] },
  { key: 'p99', color: 'stage-line', dash: [2, 4] },
] as const;

const COST_PARTS = [
  ['stt', 'Recogniser'],
  ['llm', 'Model'],
  ['tts', 'Voice'],
  ['carrier', 'Carrier'],
  ['service', 'Service'],
] as const;
