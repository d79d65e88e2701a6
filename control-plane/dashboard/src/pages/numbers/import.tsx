import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import { PHONE_HINT, phoneOf } from '../../format/phone.js';
import { label } from '../../format/words.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Input, Select } from '../../ui/field.js';
import { CARRIERS } from './query.js';

const numberForm = z.object({
  phone_number: z.string().refine((text) => phoneOf(text) !== null, PHONE_HINT),
  provider: z.enum(CARRIERS),
});

interface ImportNumberProps {
  readonly onClose: () => void;
  readonly onImported: (phoneId: string) => void;
}

/** Brings along a number that the tenant has at a carrier. */
export function ImportNumber({ onClose, onImported }: ImportNumberProps): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(numberForm),
    defaultValues: { phone_number: '', provider: CARRIERS[0] as (typeof CARRIERS)[number] },
  });
  const bring = useMutation({
    mutationFn: ({ phone_number, provider }: z.infer<typeof numberForm>) =>
      dataOf(
        api.POST('/api/v1/phones/import', {
          body: { phone_number: phoneOf(phone_number) ?? phone_number, provider },
        }),
      ),
    onSuccess: async ({ id, phone_number }) => {
      await client.invalidateQueries({ queryKey: [mode, 'phones'] });
      toast.success(`${phone_number} is imported`);
      onClose();
      onImported(id);
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Import a number"
      description="One that you have at a carrier. Agents answer it; to call from it, verify it by a code."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => void handleSubmit((values) => bring.mutate(values))(event)}
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
        {mode === 'live' && (
          <Field label="Carrier">
            {(ids) => (
              <Select {...ids} {...register('provider')}>
                {CARRIERS.map((carrier) => (
                  <option key={carrier} value={carrier}>
                    {label(carrier)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        {bring.isError && <ErrorState title="The number could not be imported" error={bring.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={bring.isPending}>
            Import
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
