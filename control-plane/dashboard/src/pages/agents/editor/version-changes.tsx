import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../../api/mode.js';
import { ErrorState } from '../../../ui/error-state.js';
import { SkeletonRows } from '../../../ui/skeleton.js';
import { VirtualList } from '../../../ui/virtual-list.js';
import { versionDiffQuery } from '../query.js';
import { type DiffLine, lineDiff } from './line-diff.js';

const SIGNS = { removed: '−', added: '+', kept: ' ' } as const;
const COLOURS = {
  removed: 'bg-bad-soft text-bad',
  added: 'bg-good-soft text-good',
  kept: 'text-muted',
} as const;
const WORDS = { removed: 'removed: ', added: 'added: ', kept: '' } as const;

/** A value as lines: a text as it is, all else as JSON. */
const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);

interface VersionChangesProps {
  readonly agentId: string;
  readonly version: number;
  /** The one in force, which it is compared with. */
  readonly current: number;
}

/** What restoring a version would change: from the agent as it is to the agent as it was. */
export function VersionChanges({ agentId, version, current }: VersionChangesProps): ReactNode {
  const diff = useQuery(versionDiffQuery(useApi(), agentId, version, current));
  if (diff.isPending) return <SkeletonRows />;
  if (diff.isLoadingError) {
    return (
      <ErrorState
        title="The versions could not be compared"
        error={diff.error}
        onRetry={() => void diff.refetch()}
      />
    );
  }
  if (diff.data.changes.length === 0)
    return <p className="text-muted">It is the same as the one in force.</p>;
  return (
    <ul className="flex flex-col gap-3">
      {diff.data.changes.map(({ path, before, after }) => (
        <li key={path}>
          <p className="mb-1 font-mono text-xs font-medium">{path}</p>
          <Lines label={path} lines={lineDiff(textOf(after), textOf(before))} />
        </li>
      ))}
    </ul>
  );
}

function Lines({ label, lines }: { readonly label: string; readonly lines: readonly DiffLine[] }): ReactNode {
  // Lines have no name, and stand still.
  const rows = useMemo(() => lines.map((line, at) => ({ ...line, id: String(at) })), [lines]);
  return (
    <VirtualList
      label={`Changes of ${label}`}
      rows={rows}
      idOf={({ id }) => id}
      rowHeight={16}
      padding={4}
      className="max-h-72 rounded-md border border-line bg-surface font-mono text-xs"
    >
      {({ kind, text }) => (
        <div className={`px-3 whitespace-pre-wrap ${COLOURS[kind]}`}>
          <span aria-hidden className="mr-2 inline-block w-2 select-none">
            {SIGNS[kind]}
          </span>
          <span className="sr-only">{WORDS[kind]}</span>
          {text}
        </div>
      )}
    </VirtualList>
  );
}
