import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/code-block.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Input } from '../../ui/field.js';

const keyForm = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'Give it a name, as “Backend” or “Staging”.')
    .max(255, 'At most 255 characters.'),
});

/** Creates a key of the chosen mode, and shows it this once. */
export function CreateKey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(keyForm),
    defaultValues: { name: '' },
  });
  const create = useMutation({
    mutationFn: ({ name }: z.infer<typeof keyForm>) =>
      dataOf(api.POST('/api/v1/keys', { body: { name, sandbox: mode === 'sandbox' } })),
    onSuccess: () => client.invalidateQueries({ queryKey: [mode, 'keys'] }),
  });
  if (create.data !== undefined) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title="Copy your key now"
        description="It is shown this once and cannot be shown again."
        actions={
          <Button variant="primary" onClick={onClose}>
            I have stored it
          </Button>
        }
      >
        <div className="flex gap-2">
          <Input
            readOnly
            value={create.data.key}
            aria-label="The new key"
            spellCheck={false}
            className="font-mono"
            onFocus={({ target }) => target.select()}
          />
          <CopyButton text={create.data.key} label="Copy the key" />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={mode === 'live' ? 'Create a live key' : 'Create a sandbox key'}
      description={
        mode === 'live'
          ? 'With it a program places real calls, which cost money.'
          : 'With it a program places calls to simulated people, which cost nothing.'
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => void handleSubmit((values) => create.mutate(values))(event)}
      >
        <Field label="Name" error={formState.errors.name?.message}>
          {(ids) => <Input {...ids} {...register('name')} autoComplete="off" placeholder="Backend" />}
        </Field>
        {create.isError && <ErrorState title="The key could not be created" error={create.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={create.isPending}>
            Create key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
