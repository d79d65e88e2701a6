import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import { roleLabel } from '../../../api/roles.js';
import type { Invitation } from '../../../api/types.js';
import { dateTime, dayAndMonth } from '../../../format/time.js';
import { Button } from '../../../ui/button.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Card } from '../../../ui/page.js';
import { usePermission } from '../../../ui/permission.js';
import { accountApi } from '../account-api.js';
import { invitationsQuery } from './query.js';

/** Invitations that nobody has accepted yet; shown to those who may invite. */
export function Invitations(): ReactNode {
  const isAllowed = usePermission()('listInvitations') === null;
  const invitations = useQuery({ ...invitationsQuery, enabled: isAllowed });
  if (invitations.isLoadingError) {
    return (
      <ErrorState
        title="The invitations could not be loaded"
        error={invitations.error}
        onRetry={() => void invitations.refetch()}
      />
    );
  }
  if (invitations.data === undefined || invitations.data.length === 0) return null;
  return (
    <Card title="Open invitations">
      <ul aria-label="Open invitations" className="max-h-80 divide-y divide-line overflow-auto">
        {invitations.data.map((invitation) => (
          <OpenInvitation key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Card>
  );
}

function OpenInvitation({ invitation }: { readonly invitation: Invitation }): ReactNode {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () =>
      dataOf(
        accountApi.DELETE('/api/v1/invitations/{invitation_id}', {
          params: { path: { invitation_id: invitation.id } },
        }),
      ),
    onSuccess: () => toast.success('The link no longer works'),
    onError: (error) => toast.error(error.message),
    // It may have been accepted meanwhile.
    onSettled: () => client.invalidateQueries({ queryKey: ['account'] }),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="min-w-32 flex-1 truncate font-medium">{invitation.name}</span>
      <span>{roleLabel(invitation.role)}</span>
      <span className="text-muted">
        until{' '}
        <time dateTime={invitation.expires_at} title={dateTime(invitation.expires_at)}>
          {dayAndMonth(invitation.expires_at)}
        </time>
      </span>
      <Button
        needs="revokeInvitation"
        size="small"
        busy={revoke.isPending}
        aria-label={`Revoke the invitation of ${invitation.name}`}
        onClick={() => revoke.mutate()}
      >
        Revoke
      </Button>
    </li>
  );
}
