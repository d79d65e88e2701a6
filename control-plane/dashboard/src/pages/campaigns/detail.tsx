import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { Tabs } from 'radix-ui';
import type { ReactNode } from 'react';
import { useApi } from '../../api/mode.js';
import type { Campaign } from '../../api/types.js';
import { label } from '../../format/words.js';
import { ErrorState } from '../../ui/error-state.js';
import { Card, Page } from '../../ui/page.js';
import { Skeleton, SkeletonRows } from '../../ui/skeleton.js';
import { Time } from '../../ui/time.js';
import { agentsQuery } from '../agents/query.js';
import { hoursLine } from './new/hours.js';
import { Contacts } from './parts/contacts.js';
import { Funnel } from './parts/funnel.js';
import { ProgressBar } from './parts/progress-bar.js';
import { Results } from './parts/results.js';
import { Transitions } from './parts/transitions.js';
import { campaignQuery, hasOpenCalls } from './query.js';
import type { TABS } from './search.js';
import { StatusBadge } from './status.js';

export const route = createLazyRoute('/campaigns/$campaignId')({ component: CampaignPage });
const routeApi = getRouteApi('/campaigns/$campaignId');
const TAB =
  'h-9 border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted data-[state=active]:border-accent data-[state=active]:text-text';

function CampaignPage(): ReactNode {
  const { campaignId } = routeApi.useParams();
  const campaign = useQuery(campaignQuery(useApi(), campaignId));
  const back = (
    <Link to="/campaigns" className="mb-1 inline-flex items-center gap-1 text-muted hover:text-text">
      <ArrowLeft aria-hidden className="size-3.5" /> Campaigns
    </Link>
  );
  if (campaign.isPending) {
    return (
      <Page title="Campaign" before={back}>
        <Skeleton className="h-24" />
        <SkeletonRows />
      </Page>
    );
  }
  if (campaign.isLoadingError) {
    return (
      <Page title="Campaign" before={back}>
        <ErrorState
          title="The campaign could not be loaded"
          error={campaign.error}
          onRetry={() => void campaign.refetch()}
        />
      </Page>
    );
  }
  return <Detail campaign={campaign.data} back={back} />;
}

function Detail({ campaign, back }: { readonly campaign: Campaign; readonly back: ReactNode }): ReactNode {
  const { tab = 'contacts' } = routeApi.useSearch();
  const navigate = useNavigate({ from: '/campaigns/$campaignId' });
  const live = hasOpenCalls(campaign);
  return (
    <Page
      title={campaign.name}
      before={back}
      badge={<StatusBadge status={campaign.status} />}
      actions={<Transitions campaign={campaign} />}
    >
      {campaign.waiting_reason !== null && (
        <p className="rounded-lg border border-line bg-warn-soft px-4 py-2.5">
          It does not dial just now: {label(campaign.waiting_reason).toLowerCase()}.
        </p>
      )}
      <Facts campaign={campaign} />
      <Card title="Funnel">
        <Funnel campaignId={campaign.id} live={live} />
      </Card>
      <Card>
        <Tabs.Root
          value={tab}
          onValueChange={(next) =>
            void navigate({
              search: (before) => ({ ...before, tab: next as (typeof TABS)[number] }),
              replace: true,
            })
          }
        >
          <Tabs.List aria-label="Parts of the campaign" className="flex border-b border-line px-2 pt-1">
            <Tabs.Trigger value="contacts" className={TAB}>
              Contacts
            </Tabs.Trigger>
            <Tabs.Trigger value="results" className={TAB}>
              Results
            </Tabs.Trigger>
          </Tabs.List>
          <Tabs.Content value="contacts" className="p-4">
            <Contacts campaign={campaign} live={live} />
          </Tabs.Content>
          <Tabs.Content value="results" className="p-4">
            <Results campaign={campaign} live={live} />
          </Tabs.Content>
        </Tabs.Root>
      </Card>
    </Page>
  );
}

function Facts({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const agents = useQuery(agentsQuery(useApi()));
  const begun = campaign.started_at ?? campaign.scheduled_start;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Progress', <ProgressBar key="progress" campaign={campaign} />],
    ['Agent', agents.data?.find(({ id }) => id === campaign.agent_id)?.name ?? '…'],
    ['Rate', `${campaign.calls_per_minute} / min, ${campaign.max_concurrent} at once`],
    ['Attempts', `at most ${campaign.retry_policy.max_attempts} each`],
    [
      'Calling hours',
      <span key="hours" title={hoursLine(campaign.calling_hours)}>
        {hoursLine(campaign.calling_hours)}
      </span>,
    ],
    [
      campaign.started_at === null ? 'Starts' : 'Started',
      begun === null ? 'when launched' : <Time key="begun" at={begun} />,
    ],
  ];
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line md:grid-cols-3 xl:grid-cols-6">
      {facts.map(([name, value]) => (
        <div key={name} className="min-w-0 bg-surface px-3 py-2">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="font-medium wrap-anywhere tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
