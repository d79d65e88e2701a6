import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Megaphone, Plus } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../api/mode.js';
import type { CampaignStatus, CampaignSummary } from '../../api/types.js';
import { counted, label } from '../../format/words.js';
import { Button } from '../../ui/button.js';
import { columnsOf } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { Select } from '../../ui/field.js';
import { List } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { Time } from '../../ui/time.js';
import { ProgressBar } from './parts/progress-bar.js';
import { campaignQuery, campaignsQuery } from './query.js';
import { CAMPAIGN_STATUSES } from './search.js';
import { StatusBadge } from './status.js';

export const route = createLazyRoute('/campaigns')({ component: CampaignsPage });
const routeApi = getRouteApi('/campaigns');

const column = columnsOf<CampaignSummary>();
const COLUMNS = [
  column.accessor('name', {
    header: 'Name',
    meta: { width: 'minmax(10rem, 2fr)', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ row: { original } }) => (
      <Link
        to="/campaigns/$campaignId"
        params={{ campaignId: original.id }}
        className="font-medium hover:underline"
      >
        {original.name}
      </Link>
    ),
  }),
  column.accessor('status', {
    header: 'Status',
    meta: { width: '7rem', phoneWidth: '6.5rem' },
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  column.display({
    id: 'progress',
    header: 'Progress',
    meta: { width: 'minmax(10rem, 1fr)' },
    cell: ({ row: { original } }) => <Progress campaign={original} />,
  }),
  column.accessor('calls_per_minute', {
    header: 'Rate',
    meta: { width: '6rem', align: 'end' },
    cell: ({ getValue }) => `${getValue()} / min`,
  }),
  column.accessor('created_at', {
    header: 'Created',
    meta: { width: '8rem', align: 'end' },
    cell: ({ getValue }) => <Time quiet at={getValue()} />,
  }),
];

/** Of a row in sight alone: the list itself counts no contacts. */
function Progress({ campaign }: { readonly campaign: CampaignSummary }): ReactNode {
  const isBegun = campaign.status !== 'draft' && campaign.status !== 'scheduled';
  const counts = useQuery({ ...campaignQuery(useApi(), campaign.id), enabled: isBegun });
  if (!isBegun) return <span className="text-muted">{counted(campaign.total_contacts, 'contact')}</span>;
  return counts.data === undefined ? null : <ProgressBar campaign={counts.data} />;
}

function CampaignsPage(): ReactNode {
  const { status } = routeApi.useSearch();
  const navigate = useNavigate();
  const campaigns = useInfiniteQuery(campaignsQuery(useApi(), status));
  const rows = useMemo(() => campaigns.data?.pages.flatMap((page) => page.campaigns) ?? [], [campaigns.data]);
  const create = (
    <Button needs="createCampaign" asChild variant="primary">
      <Link to="/campaigns/new">
        <Plus aria-hidden className="size-4" /> New campaign
      </Link>
    </Button>
  );
  return (
    <Page
      fill
      title="Campaigns"
      actions={
        <>
          <StatusFilter status={status} />
          {create}
        </>
      }
    >
      <List
        query={campaigns}
        failure="The campaigns could not be loaded"
        label="Campaigns"
        rows={rows}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/campaigns/$campaignId', params: { campaignId: id } })}
        empty={
          status !== undefined ? (
            <EmptyState
              icon={Megaphone}
              title={`No campaign is ${label(status).toLowerCase()}`}
              action={
                <Button asChild>
                  <Link to="/campaigns" search={{}}>
                    Show all campaigns
                  </Link>
                </Button>
              }
            >
              Campaigns of the other mode are not listed here.
            </EmptyState>
          ) : (
            <EmptyState icon={Megaphone} title="No campaigns yet" action={create}>
              A campaign calls a list of people at a steady rate, within calling hours, tries those again who
              do not answer, and collects what the calls came to. It begins with a CSV file.
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

function StatusFilter({ status }: { readonly status: CampaignStatus | undefined }): ReactNode {
  const navigate = useNavigate({ from: '/campaigns' });
  return (
    <search>
      <Select
        aria-label="Status"
        className="w-auto!"
        value={status ?? ''}
        onChange={({ target }) =>
          void navigate({
            search: (before) => ({
              ...before,
              status: (target.value || undefined) as CampaignStatus | undefined,
            }),
            replace: true,
          })
        }
      >
        <option value="">Any status</option>
        {CAMPAIGN_STATUSES.map((one) => (
          <option key={one} value={one}>
            {label(one)}
          </option>
        ))}
      </Select>
    </search>
  );
}
