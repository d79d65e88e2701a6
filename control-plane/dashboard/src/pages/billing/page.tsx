import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/mode.js';
import type { UsageSummary } from '../../api/types.js';
import { money } from '../../format/money.js';
import { ErrorState } from '../../ui/error-state.js';
import { Card, Page } from '../../ui/page.js';
import { SkeletonRows } from '../../ui/skeleton.js';
import { type Awaited, confirmationPollMs, isAwaited } from './confirmation.js';
import { Payment } from './payment.js';
import { usageQuery } from './query.js';
import { barsOf, capShare, costParts, minutesText } from './usage.js';

export const route = createLazyRoute('/billing')({ component: BillingPage });

const routeApi = getRouteApi('/billing');

function BillingPage(): ReactNode {
  const context = useApi();
  const isBack = routeApi.useSearch().billing === 'success';
  const [openedAt] = useState(Date.now);
  const awaited = (data: UsageSummary, lookedAt: number): Awaited => ({
    isBack,
    hasMethod: data.payment_method,
    waitedMs: lookedAt - openedAt,
  });
  const usage = useQuery({
    ...usageQuery(context),
    refetchInterval: ({ state: { data, dataUpdatedAt } }) =>
      data ? confirmationPollMs(awaited(data, dataUpdatedAt)) : false,
  });
  return (
    <Page
      title="Usage and billing"
      description={
        context.mode === 'live'
          ? 'You pay for what you use. Days and months are in UTC.'
          : 'Of the sandbox, which costs nothing. Days and months are in UTC.'
      }
    >
      {usage.isPending ? (
        <SkeletonRows />
      ) : usage.isLoadingError ? (
        <ErrorState
          title="The usage could not be loaded"
          error={usage.error}
          onRetry={() => void usage.refetch()}
        />
      ) : (
        <Shown usage={usage.data} isConfirming={isAwaited(awaited(usage.data, usage.dataUpdatedAt))} />
      )}
    </Page>
  );
}

function Shown({
  usage,
  isConfirming,
}: {
  readonly usage: UsageSummary;
  readonly isConfirming: boolean;
}): ReactNode {
  const { totals, period } = usage;
  return (
    <>
      <Card
        title="This month"
        aside={<span className="text-muted">{`${period.start} to ${period.end}`}</span>}
      >
        <dl className="grid grid-cols-2 gap-4 p-4 md:grid-cols-4">
          <Figure name="Cost" value={money(totals.cost.total)} />
          <Figure name="Calls" value={totals.calls.toLocaleString('en-US')} />
          <Figure name="Answered" value={totals.answered_calls.toLocaleString('en-US')} />
          <Figure name="Talk time" value={minutesText(totals.minutes)} />
        </dl>
      </Card>
      <div className="grid items-start gap-4 md:grid-cols-2">
        <CostCard usage={usage} />
        <div className="flex flex-col gap-4">
          {!usage.sandbox && <LimitsCard usage={usage} />}
          <Payment hasMethod={usage.payment_method} isConfirming={isConfirming} />
        </div>
      </div>
      <DaysCard daily={usage.daily} />
    </>
  );
}

const Figure = ({ name, value }: { readonly name: string; readonly value: string }): ReactNode => (
  <div>
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="text-xl font-semibold tabular-nums">{value}</dd>
  </div>
);

function CostCard({ usage: { totals } }: { readonly usage: UsageSummary }): ReactNode {
  const parts = costParts(totals.cost);
  return (
    <Card title="Where it goes">
      {parts.length === 0 ? (
        <p className="p-4 text-muted">
          Nothing cost anything this month. Each live call adds its cost when it ends.
        </p>
      ) : (
        <ul className="flex flex-col gap-3 p-4">
          {parts.map(({ name, usd, share }) => (
            <li key={name}>
              <div className="flex justify-between gap-3">
                <span>{name}</span>
                <span className="tabular-nums">{money(usd)}</span>
              </div>
              <Bar share={share} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function LimitsCard({ usage }: { readonly usage: UsageSummary }): ReactNode {
  const { daily_cap, credit_usd } = usage;
  const share = capShare(daily_cap);
  return (
    <Card title="Limits">
      <div className="flex flex-col gap-4 p-4">
        <div>
          <p className="flex justify-between gap-3">
            <span>Spent today</span>
            <span className="tabular-nums">
              {money(daily_cap.spent_usd)}
              {daily_cap.limit_usd === null ? '' : ` of ${money(daily_cap.limit_usd)}`}
            </span>
          </p>
          {share === null ? (
            <p className="text-xs text-muted">No daily cap is set.</p>
          ) : (
            <Bar share={share} full={share >= 1} />
          )}
          {share !== null && share >= 1 && (
            <p className="mt-1 text-xs font-medium text-bad">
              The daily cap is reached: no call is placed before midnight UTC. The operator of the
              installation can raise it.
            </p>
          )}
        </div>
        <p className="flex justify-between gap-3">
          <span>Credit left</span>
          <span className="tabular-nums">{credit_usd === null ? 'None given' : money(credit_usd)}</span>
        </p>
      </div>
    </Card>
  );
}

/** How much of a whole; the figure beside it says the same. */
const Bar = ({ share, full = false }: { readonly share: number; readonly full?: boolean }): ReactNode => (
  <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-sunken">
    <div
      className={`h-full rounded-full ${full ? 'bg-bad' : 'bg-accent'}`}
      style={{ width: `${share * 100}%` }}
    />
  </div>
);

/** Minutes of each day as bars, and as a table for readers of the screen. */
function DaysCard({ daily }: { readonly daily: UsageSummary['daily'] }): ReactNode {
  return (
    <Card
      title={`The last ${daily.length} days`}
      aside={<span className="text-muted">Minutes of calls</span>}
    >
      <div aria-hidden className="flex h-32 items-end gap-px p-4 sm:gap-1">
        {barsOf(daily).map(({ date, minutes, calls, cost, height }) => (
          <div
            key={date}
            title={`${date}: ${minutesText(minutes)}, ${calls} calls, ${money(cost.total)}`}
            className="flex h-full flex-1 items-end rounded-sm bg-sunken"
          >
            <div className="w-full rounded-sm bg-accent" style={{ height: `${height * 100}%` }} />
          </div>
        ))}
      </div>
      <div aria-hidden className="flex justify-between px-4 pb-3 text-xs text-muted tabular-nums">
        <span>{daily[0]?.date}</span>
        <span>{daily.at(-1)?.date}</span>
      </div>
      {/* Around the table: a table itself keeps its width when it is clipped. */}
      <div className="sr-only">
        <table>
          <caption>Usage by day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Calls</th>
              <th scope="col">Minutes</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {daily.map(({ date, calls, minutes, cost }) => (
              <tr key={date}>
                <th scope="row">{date}</th>
                <td>{calls}</td>
                <td>{minutesText(minutes)}</td>
                <td>{money(cost.total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
