import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router';
import { PhoneOff, Plus, Upload } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import { shownBelow, useOptimistic } from '../../api/optimistic.js';
import type { DncEntry } from '../../api/types.js';
import { Button } from '../../ui/button.js';
import { Confirmation } from '../../ui/confirmation.js';
import { ACTIONS, columnsOf } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { List } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { Time } from '../../ui/time.js';
import { AddNumber } from './add.js';
import { Filters, SOURCES } from './filters.js';
import { ImportNumbers } from './import.js';
import { dncQuery } from './query.js';

export const route = createLazyRoute('/do-not-call')({ component: DoNotCallPage });
const routeApi = getRouteApi('/do-not-call');
const column = columnsOf<DncEntry>();

function DoNotCallPage(): ReactNode {
  const context = useApi();
  const search = routeApi.useSearch();
  const entries = useInfiniteQuery(dncQuery(context, search));
  const [asked, setAsked] = useState<'add' | 'import' | null>(null);
  const [doomed, setDoomed] = useState<DncEntry | null>(null);
  const rows = useMemo(() => entries.data?.pages.flatMap((page) => page.entries) ?? [], [entries.data]);
  const columns = useMemo(() => columnsWith(setDoomed), []);
  const filtered = search.number !== undefined || search.source !== undefined;
  const add = (
    <Button needs="addDoNotCall" variant="primary" onClick={() => setAsked('add')}>
      <Plus aria-hidden className="size-4" /> Add number
    </Button>
  );
  return (
    <Page
      fill
      title="Do not call"
      description={`Numbers that no agent calls, checked before every dial. This list is of ${
        context.mode === 'live' ? 'live mode' : 'the sandbox'
      }.`}
      actions={
        <>
          <Button needs="importDoNotCall" onClick={() => setAsked('import')}>
            <Upload aria-hidden className="size-4" /> Import CSV
          </Button>
          {add}
        </>
      }
    >
      <Filters search={search} />
      <List
        query={entries}
        failure="The list could not be loaded"
        label="Do-not-call numbers"
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          filtered ? (
            <EmptyState
              icon={PhoneOff}
              title={
                search.number === undefined
                  ? 'No number came in this way'
                  : `${search.number} is not on the list`
              }
              action={
                <Button asChild>
                  <Link to="/do-not-call" search={{}}>
                    Show all numbers
                  </Link>
                </Button>
              }
            >
              It may be on the list of the other mode: this is{' '}
              {context.mode === 'live' ? 'live' : 'the sandbox'}.
            </EmptyState>
          ) : (
            <EmptyState icon={PhoneOff} title="No number is on the list" action={add}>
              Who asks an agent not to be called is put here by itself, with the words and the call. Add
              others by hand, or import the list that you have.
            </EmptyState>
          )
        }
      />
      {asked === 'add' && <AddNumber onClose={() => setAsked(null)} />}
      {asked === 'import' && <ImportNumbers onClose={() => setAsked(null)} />}
      {doomed !== null && <RemoveNumber doomed={doomed} onClose={() => setDoomed(null)} />}
    </Page>
  );
}

const columnsWith = (remove: (entry: DncEntry) => void) => [
  column.accessor('phone_number', {
    header: 'Number',
    meta: { width: '11rem', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ getValue }) => <span className="font-medium tabular-nums">{getValue()}</span>,
  }),
  column.accessor('source', {
    header: 'Source',
    meta: { width: '9rem' },
    cell: ({ row: { original } }) => <Source entry={original} />,
  }),
  column.display({
    id: 'why',
    header: 'Why',
    meta: { width: 'minmax(10rem, 1fr)' },
    cell: ({ row: { original } }) => (
      <span className="text-muted" title={original.quote ?? original.note ?? undefined}>
        {original.quote === null ? original.note : `“${original.quote}”`}
      </span>
    ),
  }),
  column.accessor('created_at', {
    header: 'Added',
    meta: { width: '8rem' },
    cell: ({ getValue }) => <Time quiet at={getValue()} />,
  }),
  column.display({
    ...ACTIONS,
    meta: { width: '5.5rem', phoneWidth: '5rem', align: 'end' },
    cell: ({ row: { original } }) => (
      <Button
        needs="removeDoNotCall"
        size="small"
        aria-label={`Remove ${original.phone_number}`}
        onClick={() => remove(original)}
      >
        Remove
      </Button>
    ),
  }),
];

/** How a number came on the list; leads to the call in which its owner asked for it. */
function Source({ entry }: { readonly entry: DncEntry }): ReactNode {
  const text = SOURCES.find(([source]) => source === entry.source)?.[1] ?? entry.source;
  if (entry.call_id === null) return text;
  return (
    <Link to="/calls/$callId" params={{ callId: entry.call_id }} className="underline">
      {text}
    </Link>
  );
}

function RemoveNumber({
  doomed,
  onClose,
}: {
  readonly doomed: DncEntry;
  readonly onClose: () => void;
}): ReactNode {
  const { mode, api } = useApi();
  const remove = useOptimistic({
    change: () =>
      dataOf(api.DELETE('/api/v1/compliance/dnc/{entry_id}', { params: { path: { entry_id: doomed.id } } })),
    shows: () => [
      shownBelow<InfiniteData<{ readonly entries: readonly DncEntry[] }>>([mode, 'dnc'], (list) => ({
        ...list,
        pages: list.pages.map((page) => ({
          ...page,
          entries: page.entries.filter(({ id }) => id !== doomed.id),
        })),
      })),
    ],
    queryKey: [mode, 'dnc'],
    done: () => `${doomed.phone_number} is off the list`,
    failure: () => `${doomed.phone_number} is still on the list`,
  });
  return (
    <Confirmation
      title={`Take ${doomed.phone_number} off the list?`}
      description={
        doomed.source === 'opt_out'
          ? 'Its owner asked not to be called. Only take it off when the owner has agreed to be called again.'
          : 'Agents may call it again from now on.'
      }
      yes="Remove"
      onYes={() => {
        remove.mutate();
        onClose();
      }}
      onClose={onClose}
    >
      {doomed.quote !== null && <blockquote className="text-muted">“{doomed.quote}”</blockquote>}
    </Confirmation>
  );
}
