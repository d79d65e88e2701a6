import { useQuery } from '@tanstack/react-query';
import { MessageSquareOff, Wrench } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../../api/mode.js';
import type { CallDetail, ToolExecution, TranscriptTurn, TurnMetrics } from '../../../api/types.js';
import { clock, latency } from '../../../format/time.js';
import { label } from '../../../format/words.js';
import { Badge } from '../../../ui/badge.js';
import { classes } from '../../../ui/classes.js';
import { CodeBlock } from '../../../ui/code-block.js';
import { EmptyState } from '../../../ui/empty-state.js';
import { useUnfolded, VirtualList } from '../../../ui/virtual-list.js';
import { agentsQuery } from '../../agents/query.js';
import { isOver } from '../status.js';
import { Waterfall } from './waterfall.js';

interface TranscriptProps {
  readonly call: CallDetail;
  readonly latencies: ReadonlyMap<number, TurnMetrics>;
  /** Where the recording plays, in ms; null while it does not. */
  readonly position: number | null;
  /** Plays the recording from there; null without one. */
  readonly onSeek: ((toMs: number) => void) | null;
}

type Entry =
  | { readonly at: number; readonly turn: TranscriptTurn }
  | { readonly at: number; readonly tool: ToolExecution };

/** Who said what, with what was not heard struck through, what tools did, and how long each answer took. */
export function Transcript({ call, latencies, position, onSeek }: TranscriptProps): ReactNode {
  const agents = useQuery(agentsQuery(useApi()));
  const names = useMemo(() => new Map((agents.data ?? []).map(({ id, name }) => [id, name])), [agents.data]);
  const entries = useMemo(() => entriesOf(call), [call]);
  const { isUnfolded, unfold } = useUnfolded();
  const isPlaying = (entry: Entry | undefined) =>
    position !== null &&
    entry !== undefined &&
    'turn' in entry &&
    position >= entry.turn.started_at_ms &&
    position < entry.turn.ended_at_ms;
  const scaleMs = Math.max(1000, ...[...latencies.values()].map((one) => one.response_latency_ms ?? 0));
  if (entries.length === 0) {
    return (
      <EmptyState icon={MessageSquareOff} title="Nothing was said">
        {isOver(call.status)
          ? 'The call ended before anybody spoke.'
          : 'What is said appears here when the call is answered.'}
      </EmptyState>
    );
  }
  return (
    <VirtualList
      label="Transcript"
      rows={entries}
      idOf={idOf}
      rowHeight={64}
      padding={8}
      shownRow={entries.findIndex(isPlaying)}
      className="max-h-[max(24rem,75dvh)]"
    >
      {(entry) =>
        'tool' in entry ? (
          <Tool
            tool={entry.tool}
            isOpen={isUnfolded(idOf(entry))}
            onToggle={(isOpen) => unfold(idOf(entry), isOpen)}
          />
        ) : (
          <Turn
            turn={entry.turn}
            speaker={speakerOf(entry.turn, names)}
            metrics={latencies.get(entry.turn.index)}
            scaleMs={scaleMs}
            isPlaying={isPlaying(entry)}
            onSeek={onSeek}
          />
        )
      }
    </VirtualList>
  );
}

const idOf = (entry: Entry): string =>
  'tool' in entry ? entry.tool.tool_call_id : `turn ${entry.turn.index}`;

function entriesOf({ transcript, tool_executions: tools }: CallDetail): readonly Entry[] {
  const turns = transcript
    .filter(({ role }) => role !== 'tool')
    .map((turn) => ({ at: turn.started_at_ms, turn }));
  return [...turns, ...tools.map((tool) => ({ at: tool.started_at_ms, tool }))].sort((a, b) => a.at - b.at);
}

function speakerOf({ role, agent_id }: TranscriptTurn, names: ReadonlyMap<string, string>): string {
  if (role === 'caller') return 'Caller';
  if (role === 'operator') return 'Operator';
  return (agent_id !== undefined && names.get(agent_id)) || 'Agent';
}

function Turn({
  turn,
  speaker,
  metrics,
  scaleMs,
  isPlaying,
  onSeek,
}: {
  readonly turn: TranscriptTurn;
  readonly speaker: string;
  readonly metrics: TurnMetrics | undefined;
  readonly scaleMs: number;
  readonly isPlaying: boolean;
  readonly onSeek: ((toMs: number) => void) | null;
}): ReactNode {
  const isCaller = turn.role === 'caller';
  const time = clock(turn.started_at_ms);
  return (
    <div
      aria-current={isPlaying || undefined}
      className={classes(
        'grid grid-cols-[3.5rem_minmax(0,1fr)] gap-2 border-l-2 px-3 py-1.5',
        isPlaying ? 'border-accent bg-accent-soft' : 'border-transparent',
      )}
    >
      {onSeek === null ? (
        <span className="pt-0.5 text-xs text-muted tabular-nums">{time}</span>
      ) : (
        <button
          type="button"
          className="self-start rounded px-1 pt-0.5 text-left text-xs text-muted tabular-nums hover:text-accent hover:underline"
          aria-label={`Play from ${time}`}
          onClick={() => onSeek(turn.started_at_ms)}
        >
          {time}
        </button>
      )}
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <span className={classes('text-xs font-semibold', isCaller ? 'text-caller' : 'text-agent')}>
            {speaker}
          </span>
          {turn.interrupted && <Badge tone="warn">Interrupted</Badge>}
          {metrics?.barge_in_latency_ms != null && (
            <span className="text-xs text-muted">silent within {latency(metrics.barge_in_latency_ms)}</span>
          )}
        </p>
        <p className="max-w-prose leading-relaxed break-words">
          <Heard turn={turn} />
        </p>
        {metrics !== undefined && <Waterfall metrics={metrics} scaleMs={scaleMs} />}
      </div>
    </div>
  );
}

/** The words, those struck through that were cut off before the other side heard them. */
function Heard({ turn: { text, heard_text: heard } }: { readonly turn: TranscriptTurn }): ReactNode {
  if (heard === text || !text.startsWith(heard)) return text;
  return (
    <>
      {heard}
      <del className="text-muted" title="Not heard: the other side interrupted.">
        {text.slice(heard.length)}
      </del>
    </>
  );
}

interface ToolProps {
  readonly tool: ToolExecution;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

function Tool({ tool, isOpen, onToggle }: ToolProps): ReactNode {
  const failed = tool.status !== 'succeeded';
  return (
    // Space of its own around it: what is between rows is not measured.
    <div className="px-3 py-1.5">
      <details
        open={isOpen}
        onToggle={({ currentTarget }) => onToggle(currentTarget.open)}
        className="rounded-md border border-line"
      >
        <summary className="flex cursor-pointer flex-wrap items-center gap-2 px-3 py-1.5 text-xs">
          <Wrench aria-hidden className="size-3.5 text-muted" />
          <code className="font-mono font-medium">{tool.name}</code>
          <Badge tone={failed ? 'bad' : 'good'}>{label(tool.status)}</Badge>
          <span className="text-muted tabular-nums">
            {clock(tool.started_at_ms)} · {latency(tool.ended_at_ms - tool.started_at_ms)}
          </span>
        </summary>
        <div className="grid gap-2 p-3 pt-0 lg:grid-cols-2">
          <CodeBlock label={`arguments of ${tool.name}`} code={JSON.stringify(tool.arguments, null, 2)} />
          <CodeBlock label={`result of ${tool.name}`} code={JSON.stringify(tool.result, null, 2)} />
        </div>
      </details>
    </div>
  );
}
