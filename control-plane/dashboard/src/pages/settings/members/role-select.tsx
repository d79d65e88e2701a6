import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import { ROLES, type Role, roleLabel } from '../../../api/roles.js';
import type { Member } from '../../../api/types.js';
import { SESSION_KEY } from '../../../app/root.js';
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
  const change = useMutation({
    mutationFn: (role: Role) =>
      dataOf(
        accountApi.PATCH('/api/v1/members/{member_id}', {
          params: { path: { member_id: member.id } },
          body: { role },
        }),
      ),
    onMutate: (role) => show({ ...member, role }),
    onSuccess: async (changed) => {
      toast.success(`${nameOf(changed)} is ${roleLabel(changed.role)} now`);
      if (isSelf) await client.invalidateQueries({ queryKey: SESSION_KEY });
    },
    onError: (error) => {
      show(member);
      toast.error(error.message);
    },
  });
  const show = (shown: Member) =>
    client.setQueryData(membersQuery.queryKey, (members) =>
      members?.map((each) => (each.id === shown.id ? shown : each)),
    );
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
