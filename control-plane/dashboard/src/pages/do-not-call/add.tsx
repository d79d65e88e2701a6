import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import { PHONE_HINT, phoneOf } from '../../format/phone.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Input } from '../../ui/field.js';

const entryForm = z.object({
  phone_number: z.string().refine((text) => phoneOf(text) !== null, PHONE_HINT),
  note: z.string().trim().max(500, 'At most 500 characters.'),
});

/** Puts one number on the list. */
export function AddNumber({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(entryForm),
    defaultValues: { phone_number: '', note: '' },
  });
  const add = useMutation({
    mutationFn: ({ phone_number, note }: z.infer<typeof entryForm>) =>
      dataOf(
        api.POST('/api/v1/compliance/dnc', {
          body: { phone_number: phoneOf(phone_number) ?? phone_number, ...(note !== '' && { note }) },
        }),
      ),
    onSuccess: async ({ phone_number }) => {
      await client.invalidateQueries({ queryKey: [mode, 'dnc'] });
      toast.success(`${phone_number} is on the list`);
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add a number"
      description="No call is placed to it from now on; calls that wait for it are not dialed."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => void handleSubmit((values) => add.mutate(values))(event)}
      >
        <Field label="Phone number" error={formState.errors.phone_number?.message}>
          {(ids) => (
            <Input
              {...ids}
              {...register('phone_number')}
              type="tel"
              autoComplete="off"
              placeholder="+1 500 555 0006"
            />
          )}
        </Field>
        <Field label="Note" hint="Why, in your own words." error={formState.errors.note?.message}>
          {(ids) => <Input {...ids} {...register('note')} autoComplete="off" />}
        </Field>
        {add.isError && <ErrorState title="The number could not be added" error={add.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={add.isPending}>
            Add number
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
