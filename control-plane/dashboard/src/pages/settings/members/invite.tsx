import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { dataOf } from '../../../api/client.js';
import { ROLES } from '../../../api/roles.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Field, Input } from '../../../ui/field.js';
import { accountApi } from '../account-api.js';
import { LinkDialog } from './link-dialog.js';

const inviteForm = z.object({
  name: z.string().trim().min(1, 'Say who it is: a name, or an address.').max(255, 'At most 255 characters.'),
  role: z.enum(['viewer', 'operator', 'developer', 'owner']),
});

/** Invites somebody in a role; the link is shown this once. */
export function Invite({ onClose }: { readonly onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(inviteForm),
    defaultValues: { name: '', role: 'operator' as const },
  });
  const invite = useMutation({
    mutationFn: ({ name, role }: z.infer<typeof inviteForm>) => {
      const email = z.email().safeParse(name).success ? name : null;
      return dataOf(accountApi.POST('/api/v1/invitations', { body: { name, email, role } }));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['account', 'invitations'] }),
  });
  if (invite.data !== undefined) {
    return (
      <LinkDialog
        title={`Send this link to ${invite.data.name}`}
        description="The person who opens it is a member from then on. It works once, for seven days, and cannot be shown again."
        url={invite.data.url}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Invite somebody"
      description="You get a link to send. Nothing is sent for you."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => void handleSubmit((values) => invite.mutate(values))(event)}
      >
        <Field label="Name or email" error={formState.errors.name?.message}>
          {(ids) => <Input {...ids} {...register('name')} autoComplete="off" placeholder="Ada Byron" />}
        </Field>
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-medium">Role</legend>
          {ROLES.map(({ role, label, may }) => (
            <label key={role} className="flex items-start gap-2">
              <input type="radio" value={role} className="mt-1" {...register('role')} />
              <span>
                <span className="font-medium">{label}</span>
                <span className="block text-xs text-muted">{may}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {invite.isError && <ErrorState title="The invitation could not be made" error={invite.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={invite.isPending}>
            Make the link
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
