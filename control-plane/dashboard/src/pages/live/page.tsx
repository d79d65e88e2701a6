import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useApi } from '../../api/mode.js';
import type { Call } from '../../api/types.js';
import { LiveTranscript } from '../../talk/live-transcript.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { classes } from '../../ui/classes.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ErrorState } from '../../ui/error-state.js';
import { Card, Page } from '../../ui/page.js';
import { SkeletonRows } from '../../ui/skeleton.js';
import { Time } from '../../ui/time.js';
import { VirtualList } from '../../ui/virtual-list.js';
import { agentsQuery } from '../agents/query.js';
import { callQuery, runningCallsQuery } from '../calls/query.js';
import { CallStatusBadge, isOver } from '../calls/status.js';
import { Operator } from './operator.js';
import { SandboxCall } from './sandbox-call.js';
import { useLiveCall } from './use-live-call.js';

export const route = createLazyRoute('/live')({ component: LivePage });
const api = getRouteApi('/live');

/** The calls that go on: words and sound as they happen, and what can be done about them. */
function LivePage(): ReactNode {
  const context = useApi();
  const { call: chosen } = api.useSearch();
  const calls = useQuery(runningCallsQuery(context));
  const agents = useQuery(agentsQuery(context));
  const nameOf = ({ agent_id }: Pick<Call, 'agent_id'>) =>
    agents.data?.find(({ id }) => id === agent_id)?.name ?? 'Agent';
  const { calls: running = [], isCut = false } = calls.data ?? {};
  // The one that was chosen stays when it is over: its last words are still to be read.
  const first = running[0]?.id;
  const shown = chosen ?? first;
  const navigate = useNavigate({ from: '/live' });
  // The one that is followed stays so when newer ones begin.
  useEffect(() => {
    if (chosen === undefined && first !== undefined)
      void navigate({ search: { call: first }, replace: true });
  }, [chosen, first, navigate]);
  const listed = running.find(({ id }) => id === shown);
  // One that is not listed need not be over: it may be queued, or older than those that are listed.
  const isUnlisted = calls.data !== undefined && shown !== undefined && listed === undefined;
  const unlisted = useQuery({ ...callQuery(context, shown ?? ''), enabled: isUnlisted });
  const call = listed ?? unlisted.data;
  return (
    <Page
      fill
      title="Live"
      description={
        running.length === 0
          ? undefined
          : isCut
            ? `More than ${running.length} going on: these are the newest`
            : `${running.length} going on`
      }
      actions={context.mode === 'sandbox' && <SandboxCall agents={agents.data ?? []} />}
    >
      {calls.isPending ? (
        <SkeletonRows />
      ) : calls.isLoadingError ? (
        <ErrorState
          title="The running calls could not be loaded"
          error={calls.error}
          onRetry={() => void calls.refetch()}
        />
      ) : shown === undefined ? (
        <EmptyState
          icon={Radio}
          title="No call is going on"
          action={
            agents.data?.length === 0 && (
              <Button asChild variant="primary">
                <Link to="/agents/new">Create an agent first</Link>
              </Button>
            )
          }
        >
          A call appears here while it rings. Read along, listen, whisper to the agent, transfer or hang up.
        </EmptyState>
      ) : (
        <div className="grid min-h-0 flex-1 gap-4 max-md:grid-rows-[auto_minmax(0,1fr)] md:grid-cols-[16rem_minmax(0,1fr)]">
          <VirtualList
            label="Running calls"
            rows={running}
            idOf={({ id }) => id}
            rowHeight={60}
            gap={6}
            className="max-md:max-h-40"
            empty={<p className="px-1 text-muted">No other call is going on.</p>}
          >
            {(one) => (
              <Link
                to="/live"
                search={{ call: one.id }}
                aria-current={one.id === shown || undefined}
                className={classes(
                  'flex flex-col gap-0.5 rounded-lg border bg-surface px-3 py-2 focus-visible:outline-offset-[-2px] hover:bg-sunken',
                  one.id === shown ? 'border-accent' : 'border-line',
                )}
              >
                <span className="flex items-center justify-between gap-2">
                  <span className="truncate font-medium tabular-nums">{otherOf(one)}</span>
                  <CallStatusBadge status={one.status} />
                </span>
                <span className="flex justify-between gap-2 text-xs text-muted">
                  <span className="truncate">{nameOf(one)}</span>
                  <Time at={one.started_at ?? one.created_at} />
                </span>
              </Link>
            )}
          </VirtualList>
          <Followed
            key={shown}
            callId={shown}
            call={call}
            agentName={call === undefined ? 'Agent' : nameOf(call)}
          />
        </div>
      )}
    </Page>
  );
}

const otherOf = ({ direction, from_number, to_number }: Call): string =>
  (direction === 'inbound' ? from_number : to_number) ?? '–';

const ACTIVITY = { listening: 'Listening', thinking: 'Thinking', speaking: 'Speaking' } as const;

function Followed({
  callId,
  call: current,
  agentName,
}: {
  readonly callId: string;
  /** Undefined: not known yet. */
  readonly call: Call | undefined;
  readonly agentName: string;
}): ReactNode {
  const { conversation, lost, refusal, again } = useLiveCall(callId);
  // Between the lists of two statuses it may be in neither for a moment.
  const last = useRef(current);
  last.current = current ?? last.current;
  const call = last.current;
  // The stream says so at once, the list at its next turn.
  const hasEnded = conversation.ended !== null || (call !== undefined && isOver(call.status));
  return (
    <Card className="flex min-h-0 flex-col overflow-hidden">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
        <h2 className="font-semibold">
          {hasEnded ? 'The call is over' : call === undefined ? 'Call' : otherOf(call)}
        </h2>
        {conversation.activity !== null && (
          <Badge tone="accent">Agent: {ACTIVITY[conversation.activity]}</Badge>
        )}
        {lost && <Badge tone="warn">Coming back …</Badge>}
        <Link to="/calls/$callId" params={{ callId }} className="ml-auto text-accent hover:underline">
          All of the call
        </Link>
      </div>
      {refusal !== null && (
        <div className="p-4">
          <ErrorState title="The call cannot be followed" error={refusal} onRetry={again} />
        </div>
      )}
      <LiveTranscript
        lines={conversation.lines}
        agentName={agentName}
        callerName="Caller"
        empty="What is said appears here as it is said."
      />
      {call !== undefined && !hasEnded && <Operator call={call} />}
    </Card>
  );
}
