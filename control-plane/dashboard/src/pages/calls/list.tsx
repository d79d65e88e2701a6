import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { PhoneIncoming, PhoneOff, PhoneOutgoing } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../api/mode.js';
import type { Call, CallDirection, CallStatus } from '../../api/types.js';
import { money } from '../../format/money.js';
import { clock } from '../../format/time.js';
import { label } from '../../format/words.js';
import { Button } from '../../ui/button.js';
import { type Column, columnsOf } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Select } from '../../ui/field.js';
import { List } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { Time } from '../../ui/time.js';
import { WordSearch } from '../../ui/word-search.js';
import { agentsQuery } from '../agents/query.js';
import { type Excerpt, excerptOf } from './excerpt.js';
import { FirstCallLink } from './first-call-link.js';
import { callsQuery } from './query.js';
import { type CallsSearch, callsSearch, FEWEST_LETTERS } from './search.js';
import { searchProgress } from './search-progress.js';
import { CallStatusBadge } from './status.js';

export const route = createLazyRoute('/calls')({ component: CallsPage });
const api = getRouteApi('/calls');

interface CallRow {
  readonly call: Call;
  readonly agent: string;
  /** What was said, of a search for it. */
  readonly said: Excerpt | undefined;
}

const column = columnsOf<CallRow>();

/** Widths that differ where something was searched for, by column. */
const FOUND_LAYOUT: Readonly<Record<string, Column<CallRow>['meta']>> = {
  number: { width: '12rem', phoneWidth: '9rem' },
  status: { width: '7.5rem' },
  outcome: { width: 'minmax(12rem, 3fr)', phoneWidth: 'minmax(0, 1fr)' },
};

const COLUMNS: readonly Column<CallRow>[] = [
  column.accessor('call.created_at', {
    header: 'When',
    meta: { width: '7.5rem' },
    cell: ({ row: { original } }) => <Time quiet at={original.call.created_at} />,
  }),
  column.display({
    id: 'number',
    header: 'Number',
    meta: { width: '12rem', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ row: { original } }) => (
      <>
        <NumberLink call={original.call} />
        {/* A phone has no room for a column of it. */}
        <div className="pl-5.5 text-xs leading-4 md:hidden">
          <Time quiet at={original.call.created_at} />
        </div>
      </>
    ),
  }),
  column.accessor('agent', { header: 'Agent', meta: { width: 'minmax(8rem, 1fr)' } }),
  column.accessor('call.status', {
    id: 'status',
    header: 'Status',
    meta: { width: '7.5rem', phoneWidth: '6.5rem' },
    cell: ({ row: { original } }) => <CallStatusBadge status={original.call.status} />,
  }),
  column.display({
    id: 'outcome',
    header: 'Outcome',
    meta: { width: 'minmax(9rem, 2fr)' },
    cell: ({ row: { original } }) =>
      original.said === undefined ? (
        <span title={original.call.summary ?? undefined} className="text-muted">
          {outcomeOf(original.call)}
        </span>
      ) : (
        <q className="text-muted">
          {original.said.before}
          <mark>{original.said.words}</mark>
          {original.said.after}
        </q>
      ),
  }),
  column.display({
    id: 'duration',
    header: 'Duration',
    meta: { width: '5rem', align: 'end' },
    cell: ({ row: { original } }) =>
      original.call.duration_ms === null ? '–' : clock(original.call.duration_ms),
  }),
  column.display({
    id: 'cost',
    header: 'Cost',
    meta: { width: '5.5rem', align: 'end' },
    cell: ({ row: { original } }) => (original.call.cost === null ? '–' : money(original.call.cost.total)),
  }),
];

/** Of a search: on a phone what was said stands in place of the status. */
const FOUND_COLUMNS: readonly Column<CallRow>[] = COLUMNS.map((one) => {
  const meta = FOUND_LAYOUT[one.id ?? ''];
  return meta === undefined ? one : { ...one, meta };
});

function CallsPage(): ReactNode {
  const context = useApi();
  const navigate = useNavigate();
  const search = api.useSearch();
  const calls = useInfiniteQuery(callsQuery(context, search));
  const agents = useQuery(agentsQuery(context));
  const rows = useMemo(() => {
    const names = new Map((agents.data ?? []).map(({ id, name }) => [id, name]));
    const listed = calls.data?.pages.flatMap((page) => page.calls) ?? [];
    const matches = calls.data?.pages.flatMap((page) => page.matches ?? []) ?? [];
    const said = new Map(matches.map(({ call_id, text }) => [call_id, excerptOf(text, search.q ?? '')]));
    return listed.map((call) => ({
      call,
      agent: names.get(call.agent_id) ?? '…',
      said: said.get(call.id),
    }));
  }, [calls.data, agents.data, search.q]);
  const filtered = Object.values(callsSearch.parse(search)).some((value) => value !== undefined);
  return (
    <Page
      fill
      title="Calls"
      actions={<Filters search={search} agents={(agents.data ?? []).map(({ id, name }) => ({ id, name }))} />}
    >
      <List
        query={calls}
        failure="The calls could not be loaded"
        label="Calls"
        rows={rows}
        columns={search.q === undefined ? COLUMNS : FOUND_COLUMNS}
        idOf={({ call }) => call.id}
        onOpen={({ call }) => void navigate({ to: '/calls/$callId', params: { callId: call.id } })}
        lookedThrough={search.q === undefined ? 0 : calls.data?.pages.length}
        progress={searchProgress(calls.data?.pages ?? [])}
        empty={<Nothing filtered={filtered} unfinished={search.q !== undefined && calls.hasNextPage} />}
      />
    </Page>
  );
}

function Nothing({
  filtered,
  unfinished,
}: {
  readonly filtered: boolean;
  /** Whether there are calls that were not looked through. */
  readonly unfinished: boolean;
}): ReactNode {
  const { mode } = useApi();
  if (unfinished) {
    return (
      <EmptyState icon={PhoneOff} title="Not found so far">
        Older calls are left to look through.
      </EmptyState>
    );
  }
  if (filtered) {
    return (
      <EmptyState
        icon={PhoneOff}
        title="No call fits these filters"
        action={
          <Button asChild>
            <Link to="/calls" search={{}}>
              Show all calls
            </Link>
          </Button>
        }
      >
        Calls of the other mode are not listed here: this is the {mode === 'live' ? 'live mode' : 'sandbox'}.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={PhoneOff}
      title={mode === 'live' ? 'No live calls yet' : 'No sandbox calls yet'}
      action={<FirstCallLink />}
    >
      Each call appears here the moment it is placed or comes in, with its transcript, recording, latency and
      cost.{' '}
      {mode === 'live' ? (
        'An agent calls from a number of yours, and answers there.'
      ) : (
        <>
          From a terminal, <code className="font-mono">npm run call</code> places one to a simulated person.
        </>
      )}
    </EmptyState>
  );
}

const STATUSES = callsSearch.shape.status.unwrap().unwrap().options;

function Filters({
  search,
  agents,
}: {
  readonly search: CallsSearch;
  readonly agents: readonly { readonly id: string; readonly name: string }[];
}): ReactNode {
  const navigate = useNavigate({ from: '/calls' });
  const choose = (changes: CallsSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  return (
    <search className="flex flex-wrap gap-2">
      <WordSearch
        label="Search in transcripts"
        placeholder="Search in transcripts"
        value={search.q}
        fewest={FEWEST_LETTERS}
        onChange={(q) => choose({ q })}
      />
      <Select
        aria-label="Status"
        className="w-auto!"
        value={search.status ?? ''}
        onChange={({ target }) => choose({ status: (target.value || undefined) as CallStatus | undefined })}
      >
        <option value="">Any status</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {label(status)}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Direction"
        className="w-auto!"
        value={search.direction ?? ''}
        onChange={({ target }) =>
          choose({ direction: (target.value || undefined) as CallDirection | undefined })
        }
      >
        <option value="">In and out</option>
        <option value="inbound">Inbound</option>
        <option value="outbound">Outbound</option>
      </Select>
      <Select
        aria-label="Agent"
        className="w-auto! max-w-48"
        value={search.agent ?? ''}
        onChange={({ target }) => choose({ agent: target.value || undefined })}
      >
        <option value="">Any agent</option>
        {agents.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </search>
  );
}

/** The number of the other side, and which way the call went. */
function NumberLink({ call }: { readonly call: Call }): ReactNode {
  const inbound = call.direction === 'inbound';
  const Icon = inbound ? PhoneIncoming : PhoneOutgoing;
  return (
    <Link
      to="/calls/$callId"
      params={{ callId: call.id }}
      className="flex min-w-0 items-center gap-2 font-medium max-md:leading-5 hover:underline"
    >
      <Icon aria-label={inbound ? 'Inbound' : 'Outbound'} className="size-3.5 shrink-0 text-muted" />
      <span className="truncate tabular-nums">
        {(inbound ? call.from_number : call.to_number) ?? 'erased'}
      </span>
    </Link>
  );
}

const outcomeOf = ({ outcome, end_reason, error_message }: Call): string =>
  (outcome === null ? null : label(outcome)) ??
  error_message ??
  (end_reason === null ? '' : label(end_reason));
