import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import type { ApiKey } from '../../api/types.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Confirmation } from '../../ui/confirmation.js';
import { ACTIONS, columnsOf } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { List } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { Time } from '../../ui/time.js';
import { CreateKey } from './create.js';
import { keysQuery } from './query.js';

export const route = createLazyRoute('/keys')({ component: KeysPage });

const column = columnsOf<ApiKey>();

function KeysPage(): ReactNode {
  const context = useApi();
  const keys = useQuery(keysQuery(context));
  const [creating, setCreating] = useState(false);
  const [doomed, setDoomed] = useState<ApiKey | null>(null);
  const columns = useMemo(
    () => [
      column.accessor('name', {
        header: 'Name',
        meta: { width: 'minmax(10rem, 2fr)', phoneWidth: 'minmax(0, 1fr)' },
        cell: ({ row: { original } }) => (
          <span className="flex items-center gap-2">
            <span className="truncate font-medium">{original.name}</span>
            {original.review !== null && (
              <Badge tone="warn" title="Its creator is gone. It works until it is deleted.">
                Review
              </Badge>
            )}
          </span>
        ),
      }),
      column.accessor('key_prefix', {
        header: 'Key',
        meta: { width: '12rem' },
        cell: ({ getValue }) => <code className="font-mono text-xs">{getValue()}…</code>,
      }),
      column.accessor('created_at', {
        header: 'Created',
        meta: { width: '9rem', phoneWidth: '6rem' },
        cell: ({ getValue }) => <Time quiet at={getValue()} />,
      }),
      column.display({
        ...ACTIONS,
        meta: { width: '5rem', phoneWidth: '4.5rem', align: 'end' },
        cell: ({ row: { original } }) => (
          <Button
            needs="deleteApiKey"
            size="small"
            aria-label={`Delete ${original.name}`}
            onClick={() => setDoomed(original)}
          >
            Delete
          </Button>
        ),
      }),
    ],
    [],
  );
  const create = (
    <Button needs="createApiKey" variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden className="size-4" /> Create key
    </Button>
  );
  return (
    <Page
      fill
      title="API keys"
      description={
        <>
          Programs sign in by a key:{' '}
          <code className="font-mono text-xs">Authorization: Bearer &lt;key&gt;</code>. A key belongs to one
          mode; these are of {context.mode === 'live' ? 'live' : 'the sandbox'}.
        </>
      }
      actions={create}
    >
      <List
        query={keys}
        failure="The keys could not be loaded"
        label="API keys"
        rows={keys.data ?? []}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <EmptyState icon={KeyRound} title="No keys in this mode" action={create}>
            A key lets your program place calls and read them. It is shown once, when it is created.
          </EmptyState>
        }
      />
      {creating && <CreateKey onClose={() => setCreating(false)} />}
      {doomed !== null && <DeleteKey doomed={doomed} onClose={() => setDoomed(null)} />}
    </Page>
  );
}

function DeleteKey({
  doomed,
  onClose,
}: {
  readonly doomed: ApiKey;
  readonly onClose: () => void;
}): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  // Not shown before it is done: who believes a key is gone that still works leaves it where it leaked.
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/api/v1/keys/{key_id}', { params: { path: { key_id: doomed.id } } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [mode, 'keys'] });
      toast.success(`${doomed.name} is deleted`);
      onClose();
    },
  });
  return (
    <Confirmation
      title="Delete this key?"
      description={`Requests with ${doomed.name} (${doomed.key_prefix}…) are refused from now on. This cannot be undone.`}
      yes="Delete"
      failure="The key could not be deleted"
      action={remove}
      onClose={onClose}
    />
  );
}
