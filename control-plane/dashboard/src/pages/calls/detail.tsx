import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useApi } from '../../api/mode.js';
import type { CallDetail } from '../../api/types.js';
import { clock, latency } from '../../format/time.js';
import { label } from '../../format/words.js';
import { ErrorState } from '../../ui/error-state.js';
import { Card, Page } from '../../ui/page.js';
import { Skeleton, SkeletonRows } from '../../ui/skeleton.js';
import { Time } from '../../ui/time.js';
import { agentsQuery } from '../agents/query.js';
import { Analysis } from './parts/analysis.js';
import { Compliance } from './parts/compliance.js';
import { Cost } from './parts/cost.js';
import { Decisions } from './parts/decisions.js';
import { Events } from './parts/events.js';
import { LatencyLegend } from './parts/latency-legend.js';
import { Line } from './parts/line.js';
import { Transcript } from './parts/transcript.js';
import { Webhooks } from './parts/webhooks.js';
import { callQuery } from './query.js';
import { CallStatusBadge, isOver } from './status.js';
import { latenciesByTurn } from './turn-latency.js';

export const route = createLazyRoute('/calls/$callId')({ component: CallPage });
const api = getRouteApi('/calls/$callId');
const Waveform = lazy(() => import('./parts/waveform.js'));

function CallPage(): ReactNode {
  const { callId } = api.useParams();
  const call = useQuery(callQuery(useApi(), callId));
  const back = (
    <Link to="/calls" className="mb-1 inline-flex items-center gap-1 text-muted hover:text-text">
      <ArrowLeft aria-hidden className="size-3.5" /> Calls
    </Link>
  );
  if (call.isPending) {
    return (
      <Page title="Call" before={back}>
        <Skeleton className="h-24" />
        <SkeletonRows />
      </Page>
    );
  }
  if (call.isLoadingError) {
    return (
      <Page title="Call" before={back}>
        <ErrorState
          title="The call could not be loaded"
          error={call.error}
          onRetry={() => void call.refetch()}
        />
      </Page>
    );
  }
  return <Detail call={call.data} back={back} />;
}

function Detail({ call, back }: { readonly call: CallDetail; readonly back: ReactNode }): ReactNode {
  /** Where the recording plays, in ms. */
  const [position, setPosition] = useState<number | null>(null);
  const [seek, setSeek] = useState<{ readonly toMs: number } | null>(null);
  const onSeek = call.recording_url === null ? null : (toMs: number) => setSeek({ toMs });
  const latencies = latenciesByTurn(call.transcript, call.metrics.turns);
  const other = call.direction === 'inbound' ? call.from_number : call.to_number;
  return (
    <Page title={other ?? 'Erased call'} before={back} badge={<CallStatusBadge status={call.status} />}>
      <Facts call={call} />
      {call.recording_url !== null && (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <Waveform call={call} onPosition={setPosition} seek={seek} />
        </Suspense>
      )}
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(20rem,2fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Transcript" aside={<LatencyLegend />}>
            <Transcript call={call} latencies={latencies} position={position} onSeek={onSeek} />
          </Card>
          {isOver(call.status) && <Decisions callId={call.id} onSeek={onSeek} />}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Analysis call={call} />
          <Cost call={call} />
          <Line call={call} />
          <Compliance checkId={call.compliance_check_id} />
          <Events events={call.events} />
          <Webhooks callId={call.id} />
        </div>
      </div>
    </Page>
  );
}

/** What an operator looks for first. */
function Facts({ call }: { readonly call: CallDetail }): ReactNode {
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Agent', call.agents.length === 0 ? '–' : <Speakers key="agents" call={call} />],
    ['Began', <Time key="began" at={call.started_at ?? call.created_at} />],
    ['Duration', call.duration_ms === null ? '–' : clock(call.duration_ms)],
    ['Ended by', call.end_reason === null ? (isOver(call.status) ? '–' : 'goes on') : label(call.end_reason)],
    ['Answer, p50', latencyOr(call.metrics.p50.response_latency_ms)],
    ['Answer, p95', latencyOr(call.metrics.p95.response_latency_ms)],
    ['Barge-in, p50', latencyOr(call.metrics.p50.barge_in_latency_ms)],
  ];
  return (
    <>
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-4 xl:grid-cols-7">
        {facts.map(([name, value]) => (
          <div key={name} className="min-w-0 bg-surface px-3 py-2 last:col-span-full xl:last:col-span-1">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="font-medium wrap-anywhere tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {call.error_message !== null && (
        <p role="alert" className="rounded-lg border border-bad/40 bg-bad-soft px-4 py-3">
          <strong className="text-bad">{call.error_message}</strong>{' '}
          {call.error_code !== null && <code className="font-mono text-xs">{call.error_code}</code>}
        </p>
      )}
    </>
  );
}

/** Who spoke, in turn, and the version that the call began with. */
function Speakers({ call: { agents, agent_version: version } }: { readonly call: CallDetail }): ReactNode {
  const known = useQuery(agentsQuery(useApi()));
  return agents.map(({ agent_id: agentId, from_ms }, at) => {
    const agent = known.data?.find(({ id }) => id === agentId);
    const began = at === 0 ? version : null;
    const compare = began === null || began === agent?.version ? undefined : began;
    return (
      <span key={from_ms}>
        {at > 0 && ' → '}
        <Link
          to="/agents/$agentId"
          params={{ agentId }}
          search={began === null ? {} : { section: 'versions', compare }}
          className="inline-flex min-h-6 flex-wrap items-baseline gap-x-1 hover:underline"
        >
          {agent?.name ?? '…'}
          {began !== null && <span className="text-xs font-normal text-muted">version {began}</span>}
        </Link>
      </span>
    );
  });
}

const latencyOr = (ms: number | null): string => (ms === null ? '–' : latency(ms));
