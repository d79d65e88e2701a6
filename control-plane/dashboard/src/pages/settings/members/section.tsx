import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { Session } from '../../../api/session.js';
import { SESSION_KEY } from '../../../api/session-query.js';
import type { Member } from '../../../api/types.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { ACTIONS, columnsOf } from '../../../ui/data-table.js';
import { List } from '../../../ui/list.js';
import { Time } from '../../../ui/time.js';
import { Invitations } from './invitations.js';
import { Invite } from './invite.js';
import { LoginLink } from './login-link.js';
import { nameOf } from './name.js';
import { membersQuery } from './query.js';
import { RemoveMember } from './remove.js';
import { RoleSelect } from './role-select.js';

export const route = createLazyRoute('/settings/members')({ component: MembersSection });

const column = columnsOf<Member>();

/** The people of the account: who they are, what each may do, who comes next. */
function MembersSection(): ReactNode {
  const members = useQuery(membersQuery);
  const self = useQueryClient().getQueryData<Session>(SESSION_KEY)?.member?.id;
  const [inviting, setInviting] = useState(false);
  const [linked, setLinked] = useState<Member | null>(null);
  const [doomed, setDoomed] = useState<Member | null>(null);
  const columns = useMemo(
    () => [
      column.accessor('name', {
        header: 'Name',
        meta: { width: 'minmax(9rem, 2fr)', phoneWidth: 'minmax(0, 1fr)' },
        cell: ({ row: { original } }) => (
          <span className="flex items-center gap-2">
            <span className="truncate font-medium" title={original.email ?? undefined}>
              {nameOf(original)}
            </span>
            {original.id === self && (
              <span className="max-md:hidden">
                <Badge tone="accent">You</Badge>
              </span>
            )}
          </span>
        ),
      }),
      column.accessor('role', {
        header: 'Role',
        meta: { width: '9rem', phoneWidth: '7.5rem' },
        cell: ({ row: { original } }) => <RoleSelect member={original} isSelf={original.id === self} />,
      }),
      column.accessor('created_at', {
        header: 'Since',
        meta: { width: '7rem' },
        cell: ({ getValue }) => <Time quiet at={getValue()} />,
      }),
      column.accessor('last_seen_at', {
        header: 'Last seen',
        meta: { width: '7rem' },
        cell: ({ row: { original } }) => (
          <span className="text-muted">
            {original.last_seen_at === null ? 'Never' : <Time at={original.last_seen_at} />}
          </span>
        ),
      }),
      column.display({
        ...ACTIONS,
        meta: { width: '10.5rem', phoneWidth: '4.8rem', align: 'end' },
        cell: ({ row: { original } }) => (
          <span className="flex justify-end gap-1.5">
            <Button
              needs="createMemberLoginLink"
              size="small"
              className="max-md:hidden"
              aria-label={`Login link for ${nameOf(original)}`}
              onClick={() => setLinked(original)}
            >
              Login link
            </Button>
            <Button
              needs="removeMember"
              size="small"
              aria-label={`Remove ${nameOf(original)}`}
              onClick={() => setDoomed(original)}
            >
              Remove
            </Button>
          </span>
        ),
      }),
    ],
    [self],
  );
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">Members</h2>
        <Button needs="createInvitation" variant="primary" onClick={() => setInviting(true)}>
          <UserPlus aria-hidden className="size-4" /> Invite
        </Button>
      </div>
      <List
        query={members}
        failure="The members could not be loaded"
        label="Members"
        rows={members.data ?? []}
        columns={columns}
        idOf={({ id }) => id}
        className="max-h-[60vh] min-h-0! flex-none!"
        empty={null}
      />
      <Invitations />
      {inviting && <Invite onClose={() => setInviting(false)} />}
      {linked !== null && <LoginLink member={linked} onClose={() => setLinked(null)} />}
      {doomed !== null && (
        <RemoveMember member={doomed} isSelf={doomed.id === self} onClose={() => setDoomed(null)} />
      )}
    </>
  );
}
