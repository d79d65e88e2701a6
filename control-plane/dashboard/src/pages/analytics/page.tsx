import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import type { Overview, UsageSummary } from '../../api/types.js';
import { useApi } from '../../app/mode.js';
import { money } from '../../format/money.js';
import { clock, latency } from '../../format/time.js';
import { Button } from '../../ui/button.js';
import { columnsOf, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ErrorState } from '../../ui/error-state.js';
import { Select } from '../../ui/field.js';
import { Card, Page } from '../../ui/page.js';
import { Skeleton } from '../../ui/skeleton.js';
import {
  callsSentence,
  costSentence,
  type DayFigures,
  dailyFigures,
  statusShares,
  sumsOf,
} from './figures.js';
import { Bars } from './parts/bars.js';
import { overviewQuery, usageQuery } from './query.js';
import { RANGES } from './search.js';

export const route = createLazyRoute('/analytics')({ component: AnalyticsPage });
const routeApi = getRouteApi('/analytics');
const Chart = lazy(() => import('./chart.js'));

const column = columnsOf<DayFigures>();
const count = (header: string, key: 'calls' | 'answered' | 'completed' | 'failed', phoneWidth?: string) =>
  column.accessor(key, {
    header,
    meta: { width: 'minmax(5rem, 1fr)', align: 'end', ...(phoneWidth && { phoneWidth }) },
    cell: ({ getValue }) => getValue().toLocaleString('en-US'),
  });
const COLUMNS = [
  column.accessor('date', {
    header: 'Day (UTC)',
    meta: { width: 'minmax(7rem, 1fr)', phoneWidth: 'minmax(0, 1fr)' },
  }),
  count('Calls', 'calls', '4rem'),
  count('Answered', 'answered', '5rem'),
  count('Completed', 'completed'),
  count('Failed', 'failed'),
  column.accessor('minutes', {
    header: 'Minutes',
    meta: { width: 'minmax(5rem, 1fr)', align: 'end' },
    cell: ({ getValue }) => getValue().toFixed(1),
  }),
  column.accessor('cost', {
    header: 'Cost',
    meta: { width: 'minmax(5rem, 1fr)', phoneWidth: '5rem', align: 'end' },
    cell: ({ getValue }) => money(getValue()),
  }),
];

/** What the calls of the last days come to: how many, how they ended, how fast, at what cost. */
function AnalyticsPage(): ReactNode {
  const context = useApi();
  const { days = 30 } = routeApi.useSearch();
  const navigate = useNavigate({ from: '/analytics' });
  const overview = useQuery(overviewQuery(context));
  const usage = useQuery(usageQuery(context));
  const failed = [overview, usage].find(({ isError }) => isError);
  return (
    <Page
      title="Analytics"
      actions={
        <Select
          aria-label="Range"
          className="w-auto!"
          value={days}
          onChange={({ target }) =>
            void navigate({
              search: (before) => ({ ...before, days: Number(target.value) as (typeof RANGES)[number] }),
              replace: true,
            })
          }
        >
          {RANGES.map((range) => (
            <option key={range} value={range}>
              Last {range} days
            </option>
          ))}
        </Select>
      }
    >
      {failed !== undefined ? (
        <ErrorState
          title="The figures could not be loaded"
          error={failed.error}
          onRetry={() => void failed.refetch()}
        />
      ) : overview.data === undefined || usage.data === undefined ? (
        <>
          <Skeleton className="h-16" />
          <Skeleton className="h-64" />
        </>
      ) : overview.data.totals.calls === 0 ? (
        <EmptyState
          icon={ChartColumn}
          title="No calls in the last 30 days"
          action={
            <Button asChild variant="primary">
              <Link to="/live">Call a simulated person</Link>
            </Button>
          }
        >
          As soon as there are calls, you see here how many there are by day, how they ended, how fast your
          agents answer, and what it costs.
        </EmptyState>
      ) : (
        <Figures overview={overview.data} usage={usage.data} days={days} />
      )}
    </Page>
  );
}

interface FiguresProps {
  readonly overview: Overview;
  readonly usage: UsageSummary;
  readonly days: number;
}

function Figures({ overview, usage, days }: FiguresProps): ReactNode {
  const daily = useMemo(() => dailyFigures(overview, usage, days), [overview, usage, days]);
  const dates = useMemo(() => daily.map(({ date }) => date), [daily]);
  const calls = useMemo(
    () => [
      { label: 'Calls', color: 'line-strong', values: daily.map((day) => day.calls) },
      { label: 'Answered', color: 'accent', values: daily.map(({ answered }) => answered) },
    ],
    [daily],
  );
  const costs = useMemo(
    () => [{ label: 'Cost', color: 'accent', values: daily.map(({ cost }) => cost) }],
    [daily],
  );
  const sums = sumsOf(daily);
  const { p50, p95 } = overview.response_latency_ms;
  const facts: readonly (readonly [string, string])[] = [
    ['Calls', sums.calls.toLocaleString('en-US')],
    ['Answered', sums.answered.toLocaleString('en-US')],
    ['Minutes', sums.minutes.toFixed(1)],
    ['Cost', money(sums.cost)],
    ['Answer latency p50, 30 days', p50 === null ? '–' : latency(p50)],
    ['Answer latency p95, 30 days', p95 === null ? '–' : latency(p95)],
    [
      'Average call, 30 days',
      overview.average_duration_ms === null ? '–' : clock(overview.average_duration_ms),
    ],
    [
      'Answer rate, 30 days',
      overview.answer_rate === null ? '–' : `${Math.round(overview.answer_rate * 100)} %`,
    ],
  ];
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
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Card title="Calls by day">
          <div className="flex flex-col gap-2 p-4">
            <p className="text-muted">{callsSentence(daily)}</p>
            <Suspense fallback={<Skeleton className="h-56" />}>
              <Chart
                summary={`Calls by day. ${callsSentence(daily)}`}
                days={dates}
                series={calls}
                format={whole}
              />
            </Suspense>
          </div>
        </Card>
        <Card title="Cost by day">
          <div className="flex flex-col gap-2 p-4">
            <p className="text-muted">{costSentence(daily)}</p>
            <Suspense fallback={<Skeleton className="h-56" />}>
              <Chart
                summary={`Cost by day. ${costSentence(daily)}`}
                days={dates}
                series={costs}
                format={money}
              />
            </Suspense>
          </div>
        </Card>
        <Card title="How calls ended" aside={<span className="text-muted">last 30 days</span>}>
          <Bars
            rows={statusShares(overview.by_status).map(({ name, calls, share }) => ({
              name,
              share,
              value: `${calls.toLocaleString('en-US')} (${Math.round(share * 100)} %)`,
            }))}
          />
        </Card>
        <Card title="Cost by part" aside={<span className="text-muted">this month</span>}>
          <Bars
            rows={COST_PARTS.map(([key, name]) => ({
              name,
              share: cost.total === 0 ? 0 : cost[key] / cost.total,
              value: money(cost[key]),
            }))}
          />
        </Card>
      </div>
      <Card title="By day">
        <DataTable
          label="By day"
          rows={daily.toReversed()}
          columns={COLUMNS}
          idOf={({ date }) => date}
          className="max-h-96 border-0"
        />
      </Card>
    </>
  );
}

const COST_PARTS = [
  ['stt', 'Recogniser'],
  ['llm', 'Model'],
  ['tts', 'Voice'],
  ['carrier', 'Carrier'],
  ['service', 'Service'],
] as const;

const whole = (value: number) => (Number.isInteger(value) ? value.toLocaleString('en-US') : '');
