import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import { useApi } from '../../../api/mode.js';
import type { Agent, AgentVersion } from '../../../api/types.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorState } from '../../../ui/error-state.js';
import { SkeletonRows } from '../../../ui/skeleton.js';
import { Time } from '../../../ui/time.js';
import { VirtualList } from '../../../ui/virtual-list.js';
import { versionsQuery } from '../query.js';
import { VersionChanges } from './version-changes.js';

const routeApi = getRouteApi('/agents/$agentId');

interface VersionsSectionProps {
  readonly agent: Agent;
  /** The form has changes that are not saved: restoring would lose them. */
  readonly stale: boolean;
  readonly onRestored: (agent: Agent) => void;
}

/** Every save of the agent: what it changed, what it was, and the way back. */
export default function VersionsSection({ agent, stale, onRestored }: VersionsSectionProps): ReactNode {
  const versions = useInfiniteQuery(versionsQuery(useApi(), agent.id, agent.version));
  const { compare: compared } = routeApi.useSearch();
  const navigate = useNavigate({ from: '/agents/$agentId' });
  const compare = (version: number | undefined) =>
    void navigate({ search: (before) => ({ ...before, compare: version }), replace: true });
  const [restoring, setRestoring] = useState<number>();
  const rows = versions.data?.pages.flatMap((page) => page.versions) ?? [];
  const oldest = rows.at(-1)?.version;
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = versions;
  // A link may name one that is further down.
  const isFurther =
    compared !== undefined &&
    oldest !== undefined &&
    compared < oldest &&
    hasNextPage &&
    !isFetchNextPageError;
  useEffect(() => {
    if (isFurther && !isFetchingNextPage) void fetchNextPage();
  }, [isFurther, isFetchingNextPage, fetchNextPage]);
  if (versions.isPending) return <SkeletonRows />;
  if (versions.isLoadingError) {
    return (
      <ErrorState
        title="The versions could not be loaded"
        error={versions.error}
        onRetry={() => void versions.refetch()}
      />
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">
        Every save is a version. A call speaks with the one in force when it begins. The last 100 are kept.
      </p>
      {stale && <p className="text-warn">Save or discard your changes before you restore a version.</p>}
      <VirtualList
        label="Versions"
        rows={rows}
        idOf={({ version }) => String(version)}
        rowHeight={52}
        shownRow={rows.findIndex(({ version }) => version === compared)}
        className="max-h-[max(24rem,70dvh)]"
      >
        {(row) => (
          <div className="flex flex-col gap-2 border-b border-line py-2.5">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="font-medium">Version {row.version}</span>
              {row.is_current && <Badge tone="good">In force</Badge>}
              <span className="text-muted">
                <Time at={row.created_at} />
                {row.author !== null && ` by ${row.author.name}`}
              </span>
              <span className="min-w-32 flex-1 truncate text-muted" title={row.changed.join(', ')}>
                {wordsOf(row)}
              </span>
              {!row.is_current && (
                <span className="flex gap-2">
                  <Button
                    size="small"
                    aria-expanded={compared === row.version}
                    aria-label={`Compare version ${row.version}`}
                    onClick={() => compare(compared === row.version ? undefined : row.version)}
                  >
                    Compare
                  </Button>
                  <Button
                    needs="restoreAgentVersion"
                    size="small"
                    disabled={stale}
                    aria-label={`Restore version ${row.version}`}
                    onClick={() => setRestoring(row.version)}
                  >
                    Restore
                  </Button>
                </span>
              )}
            </div>
            {compared === row.version && (
              <VersionChanges agentId={agent.id} version={row.version} current={agent.version} />
            )}
          </div>
        )}
      </VirtualList>
      {isFetchNextPageError && (
        <ErrorState title="The older versions could not be loaded" error={versions.error} />
      )}
      {versions.hasNextPage && (
        <Button
          className="self-start"
          busy={versions.isFetchingNextPage}
          onClick={() => void versions.fetchNextPage()}
        >
          Show older ones
        </Button>
      )}
      {restoring !== undefined && (
        <RestoreDialog
          agentId={agent.id}
          version={restoring}
          onClose={() => setRestoring(undefined)}
          onRestored={(restored) => {
            setRestoring(undefined);
            compare(undefined);
            onRestored(restored);
          }}
        />
      )}
    </div>
  );
}

const wordsOf = ({ version, changed }: AgentVersion): string =>
  changed.length > 0 ? changed.join(', ') : version === 1 ? 'created' : 'nothing changed';

interface RestoreDialogProps {
  readonly agentId: string;
  readonly version: number;
  readonly onClose: () => void;
  readonly onRestored: (agent: Agent) => void;
}

function RestoreDialog({ agentId, version, onClose, onRestored }: RestoreDialogProps): ReactNode {
  const context = useApi();
  const client = useQueryClient();
  const restore = useMutation({
    mutationFn: () =>
      dataOf(
        context.api.POST('/api/v1/agents/{agent_id}/versions/{version}/restore', {
          params: { path: { agent_id: agentId, version } },
        }),
      ),
    onSuccess: async (agent) => {
      onRestored(agent);
      toast.success(`Version ${version} is in force again, as version ${agent.version}.`);
      await client.invalidateQueries({ queryKey: [context.mode, 'agents'] });
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Restore version ${version}?`}
      description="New calls speak as it was. Nothing is lost: what is in force now stays a version. A tool or provider that comes back needs its secret again."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={restore.isPending} onClick={() => restore.mutate()}>
            Restore
          </Button>
        </>
      }
    >
      {restore.isError && <ErrorState title="The version could not be restored" error={restore.error} />}
    </Dialog>
  );
}
