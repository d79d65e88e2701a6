import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/mode.js';
import type { CampaignAnalytics } from '../../../api/types.js';
import { clock } from '../../../format/time.js';
import { label } from '../../../format/words.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Skeleton } from '../../../ui/skeleton.js';
import { campaignAnalyticsQuery } from '../query.js';

/** How many contacts came how far, and what their calls came to. */
export function Funnel({
  campaignId,
  live,
}: {
  readonly campaignId: string;
  readonly live: boolean;
}): ReactNode {
  const analytics = useQuery(campaignAnalyticsQuery(useApi(), campaignId, live));
  if (analytics.isPending) return <Skeleton className="m-4 h-32" />;
  if (analytics.isLoadingError) {
    return (
      <div className="p-4">
        <ErrorState
          title="The funnel could not be loaded"
          error={analytics.error}
          onRetry={() => void analytics.refetch()}
        />
      </div>
    );
  }
  return <Steps analytics={analytics.data} />;
}

function Steps({ analytics }: { readonly analytics: CampaignAnalytics }): ReactNode {
  const { funnel, outcomes, metrics, primary_outcome } = analytics;
  const steps: readonly (readonly [string, number])[] = [
    ['Contacts', funnel.contacts],
    ['Called', funnel.attempted],
    ['Answered', funnel.answered],
    ['Completed', funnel.completed],
    ...(primary_outcome === null ? [] : [[label(primary_outcome), funnel.primary_outcome] as const]),
  ];
  const average = metrics.average_duration_seconds;
  return (
    <div className="grid gap-6 p-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <ol className="flex flex-col gap-2">
        {steps.map(([name, count]) => {
          const share = funnel.contacts === 0 ? 0 : count / funnel.contacts;
          return (
            <li key={name} className="grid grid-cols-[7rem_minmax(0,1fr)_6.5rem] items-center gap-3">
              <span className="truncate">{name}</span>
              <span aria-hidden className="h-5 overflow-hidden rounded bg-sunken">
                <span className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />
              </span>
              <span className="text-right tabular-nums">
                {count.toLocaleString('en-US')}{' '}
                <span className="text-muted">({Math.round(share * 100)} %)</span>
              </span>
            </li>
          );
        })}
      </ol>
      <div className="flex flex-col gap-2">
        <h3 className="font-medium">Outcomes of calls</h3>
        {outcomes.length === 0 ? (
          <p className="text-muted">Each call that ends is counted here by what it came to.</p>
        ) : (
          <ul className="flex flex-col gap-1">
            {outcomes.map(({ outcome, count }) => (
              <li key={outcome} className="flex justify-between gap-4">
                <span className="truncate">{label(outcome)}</span>
                <span className="tabular-nums">{count.toLocaleString('en-US')}</span>
              </li>
            ))}
          </ul>
        )}
        {average !== null && <p className="text-muted">A call lasts {clock(average * 1000)} on average.</p>}
      </div>
    </div>
  );
}
