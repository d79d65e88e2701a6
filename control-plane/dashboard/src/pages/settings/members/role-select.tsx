import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dataOf } from '../../../api/client.js';
import { shownIn, useOptimistic } from '../../../api/optimistic.js';
import { ROLES, type Role, roleLabel } from '../../../api/roles.js';
import { SESSION_KEY } from '../../../api/session-query.js';
import type { Member } from '../../../api/types.js';
import { Select } from '../../../ui/field.js';
import { usePermission } from '../../../ui/permission.js';
import { accountApi } from '../account-api.js';
import { nameOf } from './name.js';
import { membersQuery } from './query.js';

interface RoleSelectProps {
  readonly member: Member;
  readonly isSelf: boolean;
}

/** A member's role: to change by who may, else as a word. */
export function RoleSelect({ member, isSelf }: RoleSelectProps): ReactNode {
  const client = useQueryClient();
  const refusal = usePermission()('updateMember');
  const change = useOptimistic({
    change: (role: Role) =>
      dataOf(
        accountApi.PATCH('/api/v1/members/{member_id}', {
          params: { path: { member_id: member.id } },
          body: { role },
        }),
      ),
    shows: (role) => [
      shownIn(membersQuery, (members) =>
        members.map((each) => (each.id === member.id ? { ...each, role } : each)),
      ),
    ],
    queryKey: membersQuery.queryKey,
    done: (changed) => `${nameOf(changed)} is ${roleLabel(changed.role)} now`,
    failure: () => `${nameOf(member)} is still ${roleLabel(member.role)}`,
    onDone: () => (isSelf ? client.invalidateQueries({ queryKey: SESSION_KEY }) : undefined),
  });
  if (refusal !== null) return <span title={refusal}>{roleLabel(member.role)}</span>;
  return (
    <Select
      aria-label={`Role of ${nameOf(member)}`}
      className="h-8 py-0"
      value={member.role}
      disabled={change.isPending}
      onChange={({ target }) => change.mutate(target.value as Role)}
    >
      {ROLES.map(({ role, label }) => (
        <option key={role} value={role}>
          {label}
        </option>
      ))}
    </Select>
  );
}
