import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../api/mode.js';
import type { PublishedEvent } from '../../api/types.js';
import { dateTime } from '../../format/time.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code-block.js';
import { columnsOf } from '../../ui/data-table.js';
import { Dialog } from '../../ui/dialog.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Select } from '../../ui/field.js';
import { List } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { Time } from '../../ui/time.js';
import { FirstCallLink } from '../calls/first-call-link.js';
import { eventTypesQuery } from '../webhooks/query.js';
import { eventsQuery } from './query.js';

export const route = createLazyRoute('/events')({ component: EventsPage });
const routeApi = getRouteApi('/events');

const column = columnsOf<PublishedEvent>();
const COLUMNS = [
  column.accessor('event_type', {
    header: 'Event',
    meta: { width: 'minmax(12rem, 1fr)', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ row: { original } }) => <EventLink event={original} />,
  }),
  column.accessor('call_id', {
    header: 'Call',
    meta: { width: 'minmax(10rem, 1fr)' },
    cell: ({ getValue }) => {
      const callId = getValue();
      if (callId === null) return <span className="text-muted">–</span>;
      return (
        <Link to="/calls/$callId" params={{ callId }} className="font-mono text-xs hover:underline">
          {callId}
        </Link>
      );
    },
  }),
  column.accessor('created_at', {
    header: 'When',
    meta: { width: '8rem', phoneWidth: '6rem', align: 'end' },
    cell: ({ getValue }) => <Time quiet at={getValue()} />,
  }),
];

/** Everything that was published, whether or not a webhook takes it. */
function EventsPage(): ReactNode {
  const context = useApi();
  const navigate = useNavigate({ from: '/events' });
  const { type, event: openId } = routeApi.useSearch();
  const events = useInfiniteQuery(eventsQuery(context, type));
  const rows = useMemo(() => events.data?.pages.flatMap((page) => page.events) ?? [], [events.data]);
  const open = (event: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, event }), replace: true });
  const shown = rows.find(({ id }) => id === openId);
  return (
    <Page
      fill
      title="Events"
      description={`What happened in ${context.mode === 'live' ? 'live mode' : 'the sandbox'}, as webhooks are sent it; kept for 32 days.`}
      actions={<TypeFilter type={type} />}
    >
      <List
        query={events}
        failure="The events could not be loaded"
        label="Events"
        rows={rows}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => open(id)}
        lookedThrough={type === undefined ? 0 : events.data?.pages.length}
        empty={<Nothing type={type} />}
      />
      {shown && <EventDialog event={shown} onClose={() => open(undefined)} />}
    </Page>
  );
}

function EventLink({ event }: { readonly event: PublishedEvent }): ReactNode {
  return (
    <Link
      to="/events"
      search={(before) => ({ ...before, event: event.id })}
      className="font-mono text-xs font-medium hover:underline"
    >
      {event.event_type}
    </Link>
  );
}

function Nothing({ type }: { readonly type: string | undefined }): ReactNode {
  if (type !== undefined) {
    return (
      <EmptyState
        icon={ScrollText}
        title={`No ${type} so far`}
        action={
          <Button asChild>
            <Link to="/events" search={{}}>
              Show all events
            </Link>
          </Button>
        }
      >
        Events of the other mode are not listed here.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={ScrollText} title="Nothing has happened yet" action={<FirstCallLink />}>
      A call that begins or ends, a transcript that is ready, a campaign that is launched: each is an event.
      Here you see its very body before you write a line of code; a webhook brings it to your server.
    </EmptyState>
  );
}

function TypeFilter({ type }: { readonly type: string | undefined }): ReactNode {
  const navigate = useNavigate({ from: '/events' });
  const types = useQuery(eventTypesQuery(useApi()));
  const names = new Set([
    ...(types.data ?? []).map(({ event_type }) => event_type),
    ...(type === undefined ? [] : [type]),
  ]);
  return (
    <search>
      <Select
        aria-label="Type"
        className="w-auto! max-w-64"
        value={type ?? ''}
        onChange={({ target }) =>
          void navigate({ search: { type: target.value || undefined }, replace: true })
        }
      >
        <option value="">Any type</option>
        {[...names].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
    </search>
  );
}

interface EventDialogProps {
  readonly event: PublishedEvent;
  readonly onClose: () => void;
}

function EventDialog({ event, onClose }: EventDialogProps): ReactNode {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={event.event_type}
      description={dateTime(event.created_at)}
      actions={
        event.call_id !== null && (
          <Button asChild>
            <Link to="/calls/$callId" params={{ callId: event.call_id }}>
              Show the call
            </Link>
          </Button>
        )
      }
    >
      <CodeBlock label="body of the event" code={JSON.stringify(JSON.parse(event.body), null, 2)} />
    </Dialog>
  );
}
