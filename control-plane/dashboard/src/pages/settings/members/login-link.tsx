import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dataOf } from '../../../api/client.js';
import type { Member } from '../../../api/types.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorState } from '../../../ui/error-state.js';
import { accountApi } from '../account-api.js';
import { LinkDialog } from './link-dialog.js';
import { nameOf } from './name.js';

interface LoginLinkProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Makes a link by which a member whose session is over signs in again. */
export function LoginLink({ member, onClose }: LoginLinkProps): ReactNode {
  const make = useMutation({
    mutationFn: () =>
      dataOf(
        accountApi.POST('/api/v1/members/{member_id}/login-link', {
          params: { path: { member_id: member.id } },
        }),
      ),
  });
  const name = nameOf(member);
  if (make.data !== undefined) {
    return (
      <LinkDialog
        title={`Send this link to ${name}`}
        description="It signs them in once, within 24 hours. The person who opens it is signed in as them."
        url={make.data.url}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Make a login link for ${name}?`}
      description="For who was invited and whose session is over. The person who opens it is signed in as them."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={make.isPending} onClick={() => make.mutate()}>
            Make the link
          </Button>
        </>
      }
    >
      {make.isError && <ErrorState title="The link could not be made" error={make.error} />}
    </Dialog>
  );
}
