import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router';
import { Bot, Plus } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../api/mode.js';
import { latestCallsQuery, RECENT, recentCallsQuery } from '../../api/recent-calls.js';
import type { Agent, Call } from '../../api/types.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { type Column, columnsOf } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { List } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { Skeleton } from '../../ui/skeleton.js';
import { Time } from '../../ui/time.js';
import { lastCalls, mayLack, SHOWN } from './last-calls.js';
import { agentsQuery, MOST_AGENTS } from './query.js';

export const route = createLazyRoute('/agents')({ component: AgentsPage });

interface AgentRow {
  readonly agent: Agent;
  /** Of the latest calls of all agents. */
  readonly calls: readonly Call[];
  /** Whether there may be others that are its last. */
  readonly isCut: boolean;
}

const column = columnsOf<AgentRow>();

const COLUMNS: readonly Column<AgentRow>[] = [
  column.accessor('agent.name', {
    header: 'Name',
    meta: { width: 'minmax(10rem, 2fr)', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ row: { original } }) => (
      <span className="flex min-w-0 items-center gap-2">
        <Link
          to="/agents/$agentId"
          params={{ agentId: original.agent.id }}
          className="truncate font-medium hover:underline"
        >
          {original.agent.name}
        </Link>
        {!original.agent.is_active && <Badge>Off</Badge>}
        {original.agent.warnings.length > 0 && (
          <Badge tone="warn" title={original.agent.warnings.join('\n')}>
            Check
          </Badge>
        )}
      </span>
    ),
  }),
  column.display({
    id: 'voice',
    header: 'Recogniser · model · voice',
    meta: { width: 'minmax(12rem, 2fr)' },
    cell: ({ row: { original } }) => <span className="text-muted">{pipelineOf(original.agent)}</span>,
  }),
  column.display({
    id: 'calls',
    header: 'Last calls',
    meta: { width: '9rem', phoneWidth: '6.5rem' },
    cell: ({ row: { original } }) => <LastCalls row={original} />,
  }),
  column.display({
    id: 'success',
    header: 'Completed',
    meta: { width: '6rem', align: 'end' },
    cell: ({ row: { original } }) => <CompletedShare row={original} />,
  }),
  column.accessor('agent.updated_at', {
    header: 'Changed',
    meta: { width: '8rem', align: 'end' },
    cell: ({ row: { original } }) => <Time quiet at={original.agent.updated_at} />,
  }),
];

function AgentsPage(): ReactNode {
  const context = useApi();
  const navigate = useNavigate();
  const agents = useQuery(agentsQuery(context));
  const recent = useQuery(recentCallsQuery(context));
  const rows = useMemo(() => {
    const calls = lastCalls(recent.data ?? []);
    const latest = recent.data?.length ?? 0;
    return (agents.data ?? []).map((agent) => {
      const own = calls.get(agent.id) ?? [];
      return { agent, calls: own, isCut: mayLack(own, latest, RECENT) };
    });
  }, [agents.data, recent.data]);
  const create = (
    <Button needs="createAgent" asChild variant="primary">
      <Link to="/agents/new">
        <Plus aria-hidden className="size-4" /> New agent
      </Link>
    </Button>
  );
  return (
    <Page
      fill
      title="Agents"
      actions={create}
      description="Who speaks: a prompt, a voice, tools. Agents are the same in sandbox and live."
    >
      {rows.length >= MOST_AGENTS && (
        <p className="text-muted">
          These are the {MOST_AGENTS.toLocaleString('en')} newest agents. Older ones: GET /api/v1/agents.
        </p>
      )}
      <List
        query={agents}
        failure="The agents could not be loaded"
        label="Agents"
        rows={rows}
        columns={COLUMNS}
        idOf={({ agent }) => agent.id}
        onOpen={({ agent }) => void navigate({ to: '/agents/$agentId', params: { agentId: agent.id } })}
        empty={
          <EmptyState icon={Bot} title="No agents yet" action={create}>
            An agent is who answers and places calls: a prompt that says how it behaves, a recogniser, a model
            and a voice.
          </EmptyState>
        }
      />
    </Page>
  );
}

/** What an agent hears, thinks and speaks with, in its own words. */
function pipelineOf({ voice_config: config }: Agent): string {
  const parts = [config.stt, config.llm, config.tts, config.realtime].flatMap(
    (choice) => choice?.provider ?? [],
  );
  return parts.join(' · ');
}

/** The last calls of the agent; those of agents that are shown alone are asked for one by one. */
function useLastCalls({ agent, calls, isCut }: AgentRow): readonly Call[] | undefined {
  const own = useQuery({ ...latestCallsQuery(useApi(), agent.id, SHOWN), enabled: isCut });
  if (!isCut || own.isError) return calls;
  return own.data?.toReversed();
}

function CompletedShare({ row }: { readonly row: AgentRow }): ReactNode {
  return completedShare(useLastCalls(row) ?? []);
}

function completedShare(calls: readonly Call[]): string {
  const over = calls.filter(({ ended_at }) => ended_at !== null);
  if (over.length === 0) return '–';
  const completed = over.filter(({ status }) => status === 'COMPLETED').length;
  return `${Math.round((completed / over.length) * 100)} %`;
}

/** One bar a call, the latest last. */
function LastCalls({ row }: { readonly row: AgentRow }): ReactNode {
  const calls = useLastCalls(row);
  if (calls === undefined) return <Skeleton className="h-4 w-20" />;
  if (calls.length === 0) return <span className="text-muted">none</span>;
  const completed = calls.filter(({ status }) => status === 'COMPLETED').length;
  return (
    <span
      role="img"
      aria-label={`${completed} of the last ${calls.length} calls completed`}
      title={`${completed} of the last ${calls.length} calls completed`}
      className="flex h-4 items-end gap-0.5"
    >
      {calls.map(({ id, status }) => (
        <span
          key={id}
          className={`w-1.5 rounded-sm ${status === 'COMPLETED' ? 'h-4 bg-good' : status === 'FAILED' ? 'h-2 bg-bad' : 'h-3 bg-line-strong'}`}
        />
      ))}
    </span>
  );
}
