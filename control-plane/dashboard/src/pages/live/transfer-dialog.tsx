import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import type { Call } from '../../api/types.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Input, Select } from '../../ui/field.js';

const transferForm = z.object({
  destination: z.string().regex(/^\+[1-9]\d{1,14}$/, 'Enter the number with its country, as +14155550123.'),
  transfer_type: z.enum(['cold', 'warm']),
  briefing: z.string().max(1000, 'At most 1000 characters.'),
});

/** Hands the call to a human. */
export function TransferDialog({
  call,
  onClose,
}: {
  readonly call: Call;
  readonly onClose: () => void;
}): ReactNode {
  const { api } = useApi();
  const { register, handleSubmit, watch, formState } = useForm({
    resolver: zodResolver(transferForm),
    defaultValues: { destination: '', transfer_type: 'warm' as const, briefing: '' },
  });
  const transfer = useMutation({
    mutationFn: ({ briefing, ...rest }: z.infer<typeof transferForm>) =>
      dataOf(
        api.POST('/api/v1/calls/{call_id}/transfer', {
          params: { path: { call_id: call.id } },
          body: { ...rest, ...(rest.transfer_type === 'warm' && briefing !== '' && { briefing }) },
        }),
      ),
    onSuccess: () => {
      toast.success('The transfer has begun.');
      onClose();
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title="Transfer the call">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => void handleSubmit((values) => transfer.mutate(values))(event)}
      >
        <Field label="To" error={formState.errors.destination?.message}>
          {(ids) => <Input {...ids} {...register('destination')} type="tel" placeholder="+14155550123" />}
        </Field>
        <Field label="How">
          {(ids) => (
            <Select {...ids} {...register('transfer_type')}>
              <option value="warm">Warm: the human is rung and briefed first</option>
              <option value="cold">Cold: connected at once</option>
            </Select>
          )}
        </Field>
        {watch('transfer_type') === 'warm' && (
          <Field
            label="Briefing"
            hint="What the human hears first."
            error={formState.errors.briefing?.message}
          >
            {(ids) => <Input {...ids} {...register('briefing')} />}
          </Field>
        )}
        {transfer.isError && <ErrorState title="The call could not be transferred" error={transfer.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={transfer.isPending}>
            Transfer
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
