import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { Trends } from '../../../api/types.js';
import { money } from '../../../format/money.js';
import { latency } from '../../../format/time.js';
import { columnsOf, DataTable } from '../../../ui/data-table.js';
import { type AgentShare, agentShares, type Figures } from '../figures.js';

const MINUTE_MS = 60_000;
const FIGURE = { width: 'minmax(5rem, 1fr)', align: 'end' } as const;

/** The columns that both tables have, of what calls come to. */
function figureColumns<Row extends Trends['by_agent'][number] | Figures>() {
  const column = columnsOf<Row>();
  const figure = (
    header: string,
    of: (row: Row) => number,
    { format = whole, phoneWidth }: { format?: (value: number) => string; phoneWidth?: string } = {},
  ) =>
    column.accessor(of, {
      id: header,
      header,
      meta: { ...FIGURE, ...(phoneWidth && { phoneWidth }) },
      cell: ({ getValue }) => format(getValue()),
    });
  return [
    figure('Calls', ({ calls }) => calls, { phoneWidth: '4rem' }),
    figure('Answered', ({ answered }) => answered),
    figure('Completed', ({ completed }) => completed),
    figure('Failed', ({ failed }) => failed),
    figure('Minutes', ({ duration_ms }) => duration_ms / MINUTE_MS, { format: (value) => value.toFixed(1) }),
    figure('Cost', ({ cost_usd }) => cost_usd, { format: money, phoneWidth: '5rem' }),
  ];
}

const whole = (value: number) => value.toLocaleString('en-US');

const bucket = columnsOf<Figures>();
const percentile = (key: 'p50' | 'p95' | 'p99') =>
  bucket.accessor((row) => row.response_latency_ms[key], {
    id: key,
    header: key,
    meta: FIGURE,
    cell: ({ getValue }) => {
      const ms = getValue();
      return ms === null ? '–' : latency(ms);
    },
  });
const bucketColumns = (header: string) => [
  bucket.accessor('start', {
    header,
    meta: { width: 'minmax(7rem, 1fr)', phoneWidth: 'minmax(0, 1fr)' },
  }),
  ...figureColumns<Figures>(),
  percentile('p50'),
  percentile('p95'),
  percentile('p99'),
];
const BUCKET_COLUMNS = {
  day: bucketColumns('Day (UTC)'),
  week: bucketColumns('Week from (UTC)'),
  month: bucketColumns('Month from (UTC)'),
};

/** The figures of each day, week or month, the latest first. */
export function BucketsTable({ trends }: { readonly trends: Trends }): ReactNode {
  const rows = useMemo(() => trends.buckets.toReversed(), [trends]);
  return (
    <DataTable
      label={`By ${trends.period.bucket}`}
      rows={rows}
      columns={BUCKET_COLUMNS[trends.period.bucket]}
      idOf={({ start }) => start}
      className="max-h-96 border-0"
    />
  );
}

const agent = columnsOf<AgentShare>();
const AGENT_COLUMNS = [
  agent.display({
    id: 'agent',
    header: 'Agent',
    meta: { width: 'minmax(10rem, 2fr)', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ row: { original } }) => <AgentName agent={original} />,
  }),
  agent.accessor('share', {
    header: 'Share',
    meta: { width: 'minmax(6rem, 1fr)' },
    cell: ({ getValue }) => (
      <span className="flex items-center gap-2 tabular-nums">
        <span aria-hidden className="h-1.5 flex-1 overflow-hidden rounded-sm bg-sunken">
          <span className="block h-full bg-accent" style={{ width: `${getValue() * 100}%` }} />
        </span>
        {Math.round(getValue() * 100)} %
      </span>
    ),
  }),
  ...figureColumns<AgentShare>(),
  agent.accessor('costPerMinute', {
    header: 'A minute',
    meta: FIGURE,
    cell: ({ getValue }) => {
      const usd = getValue();
      return usd === null ? '–' : money(usd);
    },
  }),
];

/** What the calls of each agent cost, the dearest first; each leads to the agent. */
export function AgentsTable({ trends }: { readonly trends: Trends }): ReactNode {
  const rows = useMemo(() => agentShares(trends), [trends]);
  return (
    <DataTable
      label="Cost by agent"
      rows={rows}
      columns={AGENT_COLUMNS}
      idOf={({ agent_id }) => agent_id ?? 'none'}
      className="max-h-96 border-0"
    />
  );
}

function AgentName({ agent: { agent_id, name } }: { readonly agent: AgentShare }): ReactNode {
  if (agent_id === null) return <span className="text-muted">No agent</span>;
  return (
    <Link to="/agents/$agentId" params={{ agentId: agent_id }} className="text-accent hover:underline">
      {name ?? 'An agent that is gone'}
    </Link>
  );
}
