import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useApi } from '../../../api/mode.js';
import type { Campaign, CampaignContact, ContactStatus } from '../../../api/types.js';
import { label } from '../../../format/words.js';
import { Button } from '../../../ui/button.js';
import { ACTIONS, columnsOf } from '../../../ui/data-table.js';
import { EmptyState } from '../../../ui/empty-state.js';
import { Select } from '../../../ui/field.js';
import { List } from '../../../ui/list.js';
import { Time } from '../../../ui/time.js';
import { contactsQuery } from '../query.js';
import { CONTACT_STATUSES } from '../search.js';
import { StatusBadge } from '../status.js';
import { Reschedule } from './reschedule.js';

const routeApi = getRouteApi('/campaigns/$campaignId');
const column = columnsOf<CampaignContact>();

/** The people that the campaign calls, by status; each can be called at another time. */
export function Contacts({
  campaign,
  live,
}: {
  readonly campaign: Campaign;
  readonly live: boolean;
}): ReactNode {
  const { contacts: status } = routeApi.useSearch();
  const navigate = useNavigate({ from: '/campaigns/$campaignId' });
  const contacts = useInfiniteQuery(contactsQuery(useApi(), campaign.id, status, live));
  const [chosen, setChosen] = useState<CampaignContact | null>(null);
  const rows = useMemo(() => contacts.data?.pages.flatMap((page) => page.contacts) ?? [], [contacts.data]);
  const canReschedule = campaign.status !== 'cancelled';
  const columns = useMemo(
    () => [
      column.accessor('phone', {
        header: 'Number',
        meta: { width: '9.5rem', phoneWidth: 'minmax(0, 1fr)' },
        cell: ({ row: { original } }) =>
          original.last_call_id === null ? (
            original.phone
          ) : (
            <Link
              to="/calls/$callId"
              params={{ callId: original.last_call_id }}
              className="font-medium hover:underline"
            >
              {original.phone}
            </Link>
          ),
      }),
      column.display({
        id: 'name',
        header: 'Name',
        meta: { width: 'minmax(7rem, 1fr)' },
        cell: ({ row: { original } }) =>
          [original.first_name, original.last_name].filter(Boolean).join(' ') || '–',
      }),
      column.accessor('status', {
        header: 'Status',
        meta: { width: '7.5rem', phoneWidth: '6.5rem' },
        cell: ({ getValue }) => <StatusBadge status={getValue()} />,
      }),
      column.accessor('attempts', { header: 'Calls', meta: { width: '3.5rem' } }),
      column.display({
        id: 'outcome',
        header: 'Last outcome',
        meta: { width: 'minmax(8rem, 1fr)' },
        cell: ({ row: { original } }) => {
          const outcome = original.skip_reason ?? original.last_outcome;
          return outcome === null ? '–' : label(outcome);
        },
      }),
      column.display({
        id: 'next',
        header: 'Next call',
        meta: { width: '7rem' },
        cell: ({ row: { original } }) =>
          original.next_retry_at === null ? '–' : <Time at={original.next_retry_at} />,
      }),
      column.display({
        ...ACTIONS,
        meta: { width: '6.5rem', phoneWidth: '6rem', align: 'end' },
        cell: ({ row: { original } }) =>
          canReschedule && (
            <Button
              needs="rescheduleCampaignContact"
              size="small"
              aria-label={`Reschedule ${original.phone}`}
              onClick={() => setChosen(original)}
            >
              Reschedule
            </Button>
          ),
      }),
    ],
    [canReschedule],
  );
  return (
    <div className="flex flex-col gap-3">
      <Select
        aria-label="Status of contacts"
        className="w-auto! self-start"
        value={status ?? ''}
        onChange={({ target }) =>
          void navigate({
            search: (before) => ({
              ...before,
              contacts: (target.value || undefined) as ContactStatus | undefined,
            }),
            replace: true,
          })
        }
      >
        <option value="">All ({campaign.total_contacts.toLocaleString('en-US')})</option>
        {CONTACT_STATUSES.map((one) => (
          <option key={one} value={one}>
            {label(one)} ({campaign.contact_counts[one].toLocaleString('en-US')})
          </option>
        ))}
      </Select>
      <List
        query={contacts}
        failure="The contacts could not be loaded"
        label="Contacts"
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        className="max-h-[34rem]"
        empty={
          <EmptyState icon={Users} title="No contact has this status">
            Choose another status above, or all.
          </EmptyState>
        }
      />
      {chosen !== null && <Reschedule contact={chosen} onClose={() => setChosen(null)} />}
    </div>
  );
}
