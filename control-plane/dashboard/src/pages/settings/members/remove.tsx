import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import { renewSession } from '../../../api/session-query.js';
import type { Member } from '../../../api/types.js';
import { Confirmation } from '../../../ui/confirmation.js';
import { accountApi } from '../account-api.js';
import { nameOf } from './name.js';

interface RemoveMemberProps {
  readonly member: Member;
  readonly isSelf: boolean;
  readonly onClose: () => void;
}

/** Asks once more, then removes a member. */
export function RemoveMember({ member, isSelf, onClose }: RemoveMemberProps): ReactNode {
  const client = useQueryClient();
  const name = nameOf(member);
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        accountApi.DELETE('/api/v1/members/{member_id}', { params: { path: { member_id: member.id } } }),
      ),
    onSuccess: async () => {
      toast.success(`${name} is removed`);
      onClose();
      if (isSelf) await renewSession(client);
      else await client.invalidateQueries({ queryKey: ['account', 'members'] });
    },
  });
  return (
    <Confirmation
      title={isSelf ? 'Leave this account?' : `Remove ${name}?`}
      description={`${
        isSelf ? 'You are' : 'They are'
      } signed out at once, on every device. API keys that they made go on working and are marked for review.`}
      yes={isSelf ? 'Leave' : 'Remove'}
      no="Cancel"
      failure="The member could not be removed"
      action={remove}
      onClose={onClose}
    />
  );
}
