import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../api/mode.js';
import type { Webhook } from '../../api/types.js';
import { label } from '../../format/words.js';
import { Badge } from '../../ui/badge.js';
import { columnsOf } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { List } from '../../ui/list.js';
import { Time } from '../../ui/time.js';
import { answerText, type Delivery, deliveriesOf, statusOf } from './deliveries.js';
import { Inspector } from './inspector.js';
import { deliveriesQuery } from './query.js';

const routeApi = getRouteApi('/webhooks/$webhookId');
const column = columnsOf<Delivery>();

const COLUMNS = [
  column.accessor('last.event_type', {
    header: 'Event',
    meta: { width: 'minmax(10rem, 2fr)', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ getValue }) => <code className="font-mono text-xs">{getValue()}</code>,
  }),
  column.accessor('last.origin', {
    header: 'Origin',
    meta: { width: '6rem' },
    cell: ({ getValue }) => <span className="text-muted">{label(getValue())}</span>,
  }),
  column.display({
    id: 'status',
    header: 'Status',
    meta: { width: '7rem', phoneWidth: '6rem' },
    cell: ({ row: { original } }) => {
      const { word, tone } = statusOf(original);
      return <Badge tone={tone}>{word}</Badge>;
    },
  }),
  column.display({
    id: 'answer',
    header: 'Answer',
    meta: { width: 'minmax(10rem, 2fr)' },
    cell: ({ row: { original } }) => <span className="text-muted">{answerText(original)}</span>,
  }),
  column.accessor('last.attempt', { header: 'Attempts', meta: { width: '5.5rem', align: 'end' } }),
  column.accessor('last.created_at', {
    header: 'When',
    meta: { width: '7.5rem', align: 'end' },
    cell: ({ getValue }) => <Time quiet at={getValue()} />,
  }),
];

/** Every delivery to a subscription; one opens with its attempts. */
export function Deliveries({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const listed = useQuery(deliveriesQuery(useApi(), webhook.id));
  const { delivery: inspected } = routeApi.useSearch();
  const navigate = useNavigate({ from: '/webhooks/$webhookId' });
  const inspect = (delivery: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, delivery }), replace: true });
  const deliveries = useMemo(() => deliveriesOf(listed.data ?? []), [listed.data]);
  const open = deliveries.find(({ attempts }) => attempts.some(({ id }) => id === inspected));
  return (
    <>
      <List
        query={listed}
        failure="The deliveries could not be loaded"
        label="Deliveries"
        rows={deliveries}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => inspect(id)}
        empty={
          <EmptyState icon={Inbox} title="Nothing was sent yet">
            Each event that this webhook receives is listed here with every attempt and its answer, for 30
            days. A test event shows within a second whether your server takes it.
          </EmptyState>
        }
      />
      {open && <Inspector delivery={open} onClose={() => inspect(undefined)} onReplayed={inspect} />}
    </>
  );
}
